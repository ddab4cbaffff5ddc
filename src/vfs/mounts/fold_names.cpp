// SPDX-License-Identifier: Zlib
#include "vfs/mounts/fold_names.hpp"

#include "archives/archive_builder.hpp"
#include "archives/names/skip_reason.hpp"
#include "overture/base/case_fold.hpp"

namespace overture::vfs_detail {
using namespace base_detail;

namespace {

tl::unexpected<error> no_memory() {
  return fail(errc::out_of_memory, "out of memory for folding the case of the names");
}

class name_folding {
 public:
  explicit name_folding(archives_detail::archive& content) noexcept
      : content_(content),
        builder_(content, content.prefix_bytes),
        spellings_(content.names.memory(), memory_tag::vfs) {}

  result<void> run() noexcept {
    if (!spellings_.reserve(content_.entries.size())) return no_memory();
    for (std::uint32_t i = 0; i < content_.entries.size(); ++i) {
      const archives_detail::archive_entry& entry = content_.entries[i];
      (void)spellings_.push_back({entry.name, entry.name_bytes});  // has room
      if (result<void> folded = fold(i); !folded) return folded;
    }
    archives_detail::path_index index(content_.names.memory());
    result<void> done = builder_.index_each_once(
        index, [this](std::uint32_t a, std::uint32_t b) { return choose(a, b); });
    if (done) builder_.finish();
    return done;
  }

 private:
  struct spelling {
    std::uint32_t name;
    std::uint16_t bytes;
  };
  [[nodiscard]] std::string_view text_of(const spelling& of) const noexcept {
    return {content_.names.data() + of.name, of.bytes};
  }

  result<void> fold(std::uint32_t number) noexcept {
    const std::string_view spelled = text_of(spellings_[number]);
    if (is_plainly_folded(spelled)) return {};
    path_buffer room;
    const std::size_t length = fold_case(spelled, room);
    if (length == folded_text_too_long)
      return skip(number, archives_detail::skip_reason::path_too_long);
    // Folding may make an element too long, or turn a Kelvin sign before ':' into a drive letter.
    if (const char* flaw = path_flaw({room.data(), length})) return skip(number, flaw);
    const result<std::uint32_t> kept = builder_.keep({room.data(), length});
    if (!kept) return tl::unexpected(kept.error());
    archives_detail::archive_entry& entry = content_.entries[number];
    entry.name = *kept;
    entry.name_bytes = static_cast<std::uint16_t>(length);
    entry.id = {hash64(content_.path_of(entry))};
    return {};
  }

  result<void> skip(std::uint32_t number, const char* reason) noexcept {
    const spelling& of = spellings_[number];
    content_.entries[number].name = of.name;
    content_.entries[number].name_bytes = of.bytes;
    return builder_.take_back(number, reason);
  }

  result<std::uint32_t> choose(std::uint32_t a, std::uint32_t b) noexcept {
    const bool first = text_of(spellings_[b]) < text_of(spellings_[a]);
    return skip(first ? b : a, archives_detail::skip_reason::case_duplicate).map([&] {
      return first ? a : b;
    });
  }

  archives_detail::archive& content_;
  archives_detail::archive_builder builder_;
  vec<spelling> spellings_;
};

}  // namespace

result<void> fold_names(archives_detail::archive& content) noexcept {
  return name_folding(content).run();
}

}  // namespace overture::vfs_detail
