/* SPDX-License-Identifier: Zlib */
/* Reads a file of the folder that it is given. */
#include <overture/c/overture.h>
#include <stdio.h>

int main(int count, char** words) {
  overture_files* files = NULL;
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  overture_code code = overture_files_make(NULL, &files, &why);
  if (!code) code = overture_files_mount(files, count > 1 ? words[1] : ".", NULL, NULL, &why);
  if (!code) code = overture_files_read(files, "c/main.c", &bytes, &why);
  printf("%s%d bytes\n", why.text, (int)overture_bytes_size(bytes));
  overture_bytes_free(bytes);
  overture_files_free(files, NULL);
  return code == OVERTURE_OK ? 0 : 1;
}
