/* SPDX-License-Identifier: Zlib */
extern overture_timeline* timeline;
extern overture_store* store;
