// SPDX-License-Identifier: Zlib
extern const char* name;
extern float speed;
extern int id;
