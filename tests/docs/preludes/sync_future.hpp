// SPDX-License-Identifier: Zlib
texture load_title();
int measure(const result<texture>& title);
