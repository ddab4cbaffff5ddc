// SPDX-License-Identifier: Zlib
void save_the_game(std::span<char> buffer);
std::ostream& FAIL();
