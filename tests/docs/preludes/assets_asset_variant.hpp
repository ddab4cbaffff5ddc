// SPDX-License-Identifier: Zlib
struct mesh {};
extern asset_store& store;
