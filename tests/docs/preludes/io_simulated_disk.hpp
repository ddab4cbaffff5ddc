// SPDX-License-Identifier: Zlib
extern std::span<read_request> requests;
