// SPDX-License-Identifier: Zlib
//
// What the codecs in Ogg files share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "overture/base/error.hpp"
#include "sounds/codecs/codec.hpp"
#include "sounds/codecs/ogg_packets.hpp"

namespace overture::sounds_detail {

// A longer gap is not believed: positions in damaged files can be anything.
inline constexpr std::uint64_t gap_seconds_max = 600;

// Where the last seeks began, so that a loop looks for its beginning once.
class known_places {
 public:
  [[nodiscard]] std::optional<ogg_page_place> find(std::int64_t granule) const noexcept {
    for (const entry& each : entries_) {
      if (each.granule == granule) return each.place;
    }
    return std::nullopt;
  }
  void note(std::int64_t granule, const ogg_page_place& place) noexcept {
    for (const entry& each : entries_) {
      if (each.granule == granule) return;
    }
    entries_[next_++ % count] = {granule, place};
  }

 private:
  static constexpr std::size_t count = 4;
  struct entry {
    std::int64_t granule = no_granule;
    ogg_page_place place;
  };
  entry entries_[count];
  std::size_t next_ = 0;
};

[[nodiscard]] result<sound_codec*> open_vorbis(const codec_request& request) noexcept;
[[nodiscard]] result<sound_codec*> open_opus(const codec_request& request) noexcept;

}  // namespace overture::sounds_detail
