// SPDX-License-Identifier: Zlib
//
// Values in stages: a first value from the beginning of a file, and better ones from more of it.
//
// A texture whose file begins with its small levels, as in KTX2, is on the screen after a read of
// 64 KiB, and sharpens later. Its loader says how many bytes each stage takes:
//
//   class texture_loader final : public loader<texture> {
//    public:
//     std::uint64_t stage_bytes(unsigned stage) const noexcept override {
//       return stage == 0 ? 64 << 10 : 0;                      // then all of it
//     }
//     result<texture> decode(std::span<const std::byte> bytes, load_context& context) override {
//       return texture::from_levels_in(bytes, context.file_bytes());
//     }
//     ...
//   };
//
// The asset is ready with its first value. Then the store makes the value of the next stage, as for
// a reload: pump() replaces the value, and asset::version() counts. The next stage has the priority
// of its asset, and goes to the end of the line, so the first values of a level come before the
// second ones. A stage whose decode() fails is left out, because it may have too little of the
// file: an asset without a value goes on to the next stage, and one that shows a later stage keeps
// it. If the last stage fails, or any stage with errc::out_of_memory, the value stays, and
// asset_store::reload_status() says why.
//
// When memory is short, or an asset is far away, set_last_stage() makes it coarse again or keeps it
// coarse:
//
//   store.set_last_stage(wall, 0);
//   store.set_last_stage(wall, all_stages);                    // as it was
//
// A change of the last stage also tries again the stages that were left out.
//
// Limits: a file that is compressed or in a solid block is read whole, and has one stage. No
// checksum covers a part of a file: only the last stage is checked. Each stage reads from the
// beginning of the file. An asset whose loader is dependent() is loaded again after each stage of
// its needs.
#pragma once

#include <cstdint>

namespace overture {

// The most stages a loader may have before that of the whole file.
inline constexpr unsigned asset_stages_max = 8;
inline constexpr unsigned all_stages = UINT32_MAX;

// What the value of an asset is made of.
struct asset_stage {
  unsigned index = 0;            // counted from the coarsest
  bool is_whole = false;         // it is made of the whole file
  std::uint64_t file_bytes = 0;  // of the whole file
};

}  // namespace overture
