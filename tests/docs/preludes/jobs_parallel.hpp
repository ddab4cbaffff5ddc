// SPDX-License-Identifier: Zlib
double f(std::size_t i);
void left();
void right();
