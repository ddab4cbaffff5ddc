// SPDX-License-Identifier: Zlib
extern load_scope& scope;
