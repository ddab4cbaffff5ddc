// SPDX-License-Identifier: Zlib
//
// Stands for a window and a graphics card: prints each frame that differs from the one before.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "gltf.hpp"

class window {
 public:
  // A material that is not ready yet leaves its surface grey.
  void draw(const gltf::mesh& shape, std::span<const overture::asset<gltf::material>> looks) {
    for (const gltf::surface& each : shape.surfaces) {
      const std::size_t corners =
          each.indices.empty() ? each.positions.size() : each.indices.size();
      now_ += "  " + shape.name + ": " + std::to_string(corners / 3) + " triangles";
      const auto index = static_cast<std::size_t>(each.material);  // -1 is none of them
      const gltf::material* const look = index < looks.size() ? looks[index].get() : nullptr;
      now_ += look == nullptr ? ", grey" : ", " + look->name;
      if (look != nullptr) draw(*look);
      now_ += '\n';
    }
  }

  // Says why an asset failed.
  void tell(const overture::asset_store& store, const overture::asset_event& event) {
    if (event.kind != overture::asset_event_kind::failed) return;
    char why[400] = "";
    (void)store.subject_failure(event.subject, why);
    std::fprintf(stderr, "%s\n", why);
  }

  // Ends the frame. False if the next one will show the same unless something has loaded.
  bool show() {
    const bool is_new = now_ != shown_;
    if (is_new) std::printf("frame %d\n%s", frame_, now_.c_str());
    shown_ = std::exchange(now_, {});
    ++frame_;
    for (auto& [image, missing] : missing_) missing -= missing > 0 ? 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // a display waits longer
    return is_new;
  }

 private:
  void draw(const gltf::material& look) {
    char colour[64];
    std::snprintf(colour, sizeof colour, " (%.2f %.2f %.2f)", look.colour[0], look.colour[1],
                  look.colour[2]);
    now_ += colour;
    if (const overture::loaders::image* const image = look.texture.get()) draw(*image);
  }
  // An image comes to the card one level in each frame, the smallest first.
  void draw(const overture::loaders::image& image) {
    const std::uint32_t last = image.layout().levels - 1;
    const auto& sharpest = image.layout().level[missing_.try_emplace(&image, last).first->second];
    now_ += ", texture " + std::to_string(sharpest.width) + " x " + std::to_string(sharpest.height);
  }

  int frame_ = 0;
  std::string now_;
  std::string shown_;
  std::map<const overture::loaders::image*, std::uint32_t> missing_;  // levels
};
