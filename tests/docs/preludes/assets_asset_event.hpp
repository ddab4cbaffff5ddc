// SPDX-License-Identifier: Zlib
struct level_data {};
extern asset_store& store;
extern const asset<level_data>& level;
struct door_object {
  void refresh();
};
extern std::map<std::uint32_t, door_object*>& doors;
void log_failure(std::string_view path, const char* reason);
void rebuild_collision(const level_data& of);
