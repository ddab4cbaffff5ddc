/* SPDX-License-Identifier: Zlib */
// Reads one file of a mounted tree on the calling thread and prints which mounts have it.
//
//   example_c_02_read_one_file maps/rome.txt base.pk3 dlc/rome/ mods/better_ai.zip
#include <overture/c/overture.h>
#include <stdio.h>

// Prints the paths of the mounts that have the file, the winner first.
static void print_providers(overture_files* files, const char* path) {
  overture_mount mounts[16];
  size_t providers = 0;
  overture_files_providers(files, path, mounts, 16, &providers, NULL);
  for (size_t i = 0; i < providers && i < 16; ++i) {
    overture_mount_info info = {.size = sizeof info};
    for (size_t at = 0; overture_files_mount_at(files, at, &info, NULL) == OVERTURE_OK; ++at) {
      if (info.id == mounts[i]) fprintf(stderr, "%s %s\n", i == 0 ? "from" : "hides", info.path);
    }
  }
}

int main(int count, char** words) {
  overture_files* files = NULL;
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  overture_code code = OVERTURE_OK;
  if (count < 3) {
    fprintf(stderr, "usage: example_c_02_read_one_file PATH MOUNT...\n");
    return 2;
  }
  code = overture_files_make(NULL, &files, &why);
  for (int i = 2; !code && i < count; ++i) {
    code = overture_files_mount(files, words[i], NULL, NULL, &why);
  }
  if (!code) print_providers(files, words[1]);
  if (!code) code = overture_files_read(files, words[1], &bytes, &why);  // unpacked, verified
  if (code) {
    fprintf(stderr, "%s\n", why.text);
  } else {
    fwrite(overture_bytes_data(bytes), 1, overture_bytes_size(bytes), stdout);
  }
  overture_bytes_free(bytes);
  overture_files_free(files, NULL);
  return code == OVERTURE_OK ? 0 : 1;
}
