// SPDX-License-Identifier: Zlib
//
// Loads an image that it makes itself, and an object.
#include <overture/assets/asset_store.hpp>
#include <overture/io/read_queue.hpp>
#include <overture/jobs/thread_pool.hpp>
#include <overture/loaders/decoded_loaders.hpp>
#include <overture/loaders/image_loader.hpp>
#include <overture/loaders/json_loader.hpp>
#include <overture/loaders/plain_loaders.hpp>
#include <overture/loaders/texture_loader.hpp>
#include <overture/vfs/file_system.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

using namespace overture;
using namespace overture::literals;

struct weapon {
  std::string name;
  int damage = 0;
};

// A loader on top of a ready-made one.
struct uploading final : loaders::image_loader {
  using image_loader::image_loader;
  bool free_threaded() const noexcept override { return false; }
  result<finalize_step> finalize(loaders::image& value, std::chrono::nanoseconds) override {
    first_byte = std::to_integer<int>(value.row(0, 0)[0]);
    value.release();
    return finalize_step::done;
  }
  int first_byte = -1;
};

int main() {
  // One pixel of TGA: blue, green, red, alpha.
  std::ofstream("dot.tga", std::ios::binary)
      << std::string("\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x20\x28\1\2\3\xFF", 22);
  std::ofstream("axe.json") << "{ \"name\": \"axe\", \"damage\": 7 }";
  file_system files;
  if (!files.mount(".")) return 2;
  thread_pool jobs = thread_pool::for_this_machine();
  read_queue reads{files};
  uploading images({.order = pixel_order::bgra});
  loaders::json_loader<weapon> weapons;
  loaders::bytes_loader blobs;
  loaders::text_loader texts;
  loaders::texture_loader textures;
  loaders::sound_loader sounds;
  loaders::model_loader models;
  asset_store store{files, reads, jobs};
  if (!store.add(images) || !store.add(weapons) || !store.add(blobs) || !store.add(texts) ||
      !store.add(textures) || !store.add(sounds) || !store.add(models)) {
    return 3;
  }
  const asset<loaders::image> dot = store.get<loaders::image>("dot.tga"_path);
  const asset<weapon> axe = store.get<weapon>("axe.json"_path);
  if (!store.wait_for(dot, std::chrono::minutes(1)) || !dot.is_ready()) return 4;
  if (!store.wait_for(axe, std::chrono::minutes(1)) || !axe.is_ready()) return 5;
  std::printf("%s: %d\n", axe->name.c_str(), axe->damage);
  return images.first_byte == 1 && axe->damage == 7 ? 0 : 1;
}
