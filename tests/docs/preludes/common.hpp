// SPDX-License-Identifier: Zlib
//
// What the C++ code of the documentation takes for granted: the namespaces that README and guides
// open, and objects and functions of the reader's own. See code_blocks.py.
#pragma once

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <overture/base/contracts.hpp>
#include <overture/base/guards.hpp>
#include <overture/loaders/decoded_loaders.hpp>
#include <overture/loaders/image_loader.hpp>
#include <overture/loaders/json_loader.hpp>
#include <overture/loaders/plain_loaders.hpp>
#include <overture/loaders/texture_loader.hpp>
#include <overture/overture.hpp>
#include <overture/report/write_report.hpp>
#include <overture/sdl/audio.hpp>
#include <overture/sdl/iostream.hpp>
#include <overture/sdl/rwops.hpp>
#include <overture/sdl/storage.hpp>
#include <overture/sounds/sound_stream.hpp>
#include <overture/streams/file_istream.hpp>

using namespace overture;
using namespace overture::literals;
using namespace std::chrono_literals;

// What a block returns: some return errors as values, some what report() does.
struct outcome {
  template <class T>
  outcome(T&& any);
};

// Stands for a call whose arguments the documentation leaves out.
struct anything {
  template <class T>
  operator T() const;
};
extern anything left_out;

// Functions of the reader's own.
template <class... What>
outcome report(const What&... what);
template <class... What>
int log(const What&... what);
template <class... What>
int warn(const What&... what);
template <class... Seen>
void draw_bar(const Seen&... seen);
template <class... Data>
void use(const Data&... data);
template <class... Data>
void draw(const Data&... data);
template <class... Data>
void upload(const Data&... data);
template <class... Data>
void build(const Data&... data);
template <class... Data>
void load_level(const Data&... data);
template <class... Data>
void reload(const Data&... data);
template <class... Data>
void reload_all(const Data&... data);
void my_log(const char* sentence);
void my_breakpoint();

// Types of the reader's own.
struct texture {
  decoded_asset image;
  unsigned name = 0;
};
struct sound {};
struct unit {
  bool enabled = false;
  int health = 0;
  float speed = 0;
  void age();
};
class texture_loader : public loader<texture> {
 public:
  result<texture> decode(std::span<const std::byte> bytes, load_context& context) override;
};
struct work {
  void decode();
  void load();
};

// Objects of the reader's own.
extern file_system& files;
extern thread_pool& jobs;
extern read_queue& reads;
extern job_group& group;
extern asset_sink& my_assets;
extern asset_store& store;
extern operating_system& my_storage;
extern mount_id mods;
extern mount_id base;
extern std::span<const std::byte> bytes;
extern std::span<std::byte> room;
extern tracking_allocator& memory;
extern barricade& door;
extern paged<unit>& units;
extern unit knight;
extern std::span<char> buffer;
extern buffer_pool& buffers;
extern std::span<work> pictures;
extern std::span<work> chunks;
extern std::span<work> levels;
extern std::size_t n;
extern bool playing;
extern std::string_view text_from_outside;
extern std::span<const std::byte> packed;
