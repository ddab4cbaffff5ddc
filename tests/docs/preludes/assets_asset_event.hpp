// SPDX-License-Identifier: Zlib
struct level_data {};
extern asset_store& store;
extern const asset<level_data>& level;
void log_failure(std::string_view path, const char* reason);
void rebuild_collision(const level_data& of);
