// SPDX-License-Identifier: Zlib
extern loaders::image_memory& my_upload_heap;
