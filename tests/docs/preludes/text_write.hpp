// SPDX-License-Identifier: Zlib
void save(std::span<char> text);
