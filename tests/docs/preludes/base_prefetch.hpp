// SPDX-License-Identifier: Zlib
extern void* address;
