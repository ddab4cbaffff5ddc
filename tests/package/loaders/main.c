/* SPDX-License-Identifier: Zlib */
#include <overture/c/loaders.h>

#include <stdio.h>

int main(void) {
  overture_files* files = NULL;
  overture_pool* pool = NULL;
  overture_reads* reads = NULL;
  overture_store* store = NULL;
  overture_asset* asset = NULL;
  overture_asset_type image;
  overture_loader images = {sizeof images};
  overture_error why = {sizeof why};
  if (overture_files_make(NULL, &files, &why) != OVERTURE_OK) return 2;
  if (overture_pool_make(NULL, &pool, &why) != OVERTURE_OK) return 3;
  if (overture_reads_make(files, pool, NULL, &reads, &why) != OVERTURE_OK) return 4;
  if (overture_store_make(reads, NULL, &store, &why) != OVERTURE_OK) return 5;
  if (overture_loader_of_kind(OVERTURE_KIND_IMAGE, NULL, &images, &why) != OVERTURE_OK) return 6;
  if (overture_store_add(store, &images, &image, &why) != OVERTURE_OK) return 7;
  if (overture_store_get(store, image, "no/such.png", 0, &asset, &why) != OVERTURE_OK) return 8;
  if (overture_asset_wait(asset, UINT64_MAX, &why) != OVERTURE_NOT_FOUND) return 9;
  printf("%s\n", why.text);
  overture_asset_free(asset, NULL);
  overture_store_free(store, NULL);
  overture_reads_free(reads, NULL);
  overture_pool_free(pool, NULL);
  overture_files_free(files, NULL);
  return 0;
}
