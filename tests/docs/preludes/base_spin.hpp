// SPDX-License-Identifier: Zlib
bool ready();
