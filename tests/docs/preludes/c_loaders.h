/* SPDX-License-Identifier: Zlib */
extern overture_store* store;
extern overture_asset* asset;
overture_code upload_image(void* context, void* value, uint64_t budget_ns, bool* again,
                           const char** reason);
