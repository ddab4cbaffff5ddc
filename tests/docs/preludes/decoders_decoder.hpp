// SPDX-License-Identifier: Zlib
extern std::string_view path;
