/* SPDX-License-Identifier: Zlib */
extern overture_store* store;
extern overture_mount mods;
void changed(void* store, const overture_change* change);
