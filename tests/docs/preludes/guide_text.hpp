// SPDX-License-Identifier: Zlib
void send(std::string_view text);
