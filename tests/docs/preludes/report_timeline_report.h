/* SPDX-License-Identifier: Zlib */
extern overture_timeline* timeline;
