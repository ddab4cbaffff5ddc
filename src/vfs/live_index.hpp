// The merged index that changes with each mount: a hash table in small pages, whose next version
// copies the pages that it changes and shares the others. A version does not change once readers
// know it.
//
// A page has the winners of its paths, whose tags stand in the directory beside the page: a look-up
// goes from there to the one slot and its text. Those whom the winners hide are in a page of their
// own behind it, by priority within each path: so a look-up neither looks at nor brings into the
// cache more than the winners, whatever the number of mounts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/vec.hpp"
#include "overture/path.hpp"
#include "vfs/mount.hpp"
#include "vfs/same_text.hpp"
#include "vfs/tag_word.hpp"

namespace overture::vfs {

// A file or a folder of one mount. The text is in the mount's names.
struct live_slot {
  static constexpr std::uint32_t folder_bit = 1u << 31;
  static constexpr std::uint32_t removal_bit = 1u << 30;

  const char* text = nullptr;
  const mount* owner = nullptr;
  std::uint32_t number = 0;  // of the entry, or with the folder_bit of the folder
  std::uint16_t length = 0;
  std::uint16_t tag = 0;  // of the path's id

  [[nodiscard]] bool is_folder() const noexcept { return (number & folder_bit) != 0; }
  // No file: it removes those of the path that mounts have which lose to this one.
  [[nodiscard]] bool is_removal() const noexcept { return (number & removal_bit) != 0; }
  [[nodiscard]] std::uint32_t index() const noexcept {
    return number & ~(folder_bit | removal_bit);
  }
  [[nodiscard]] bool is(const asset_path& path, std::uint16_t of_tag) const noexcept {
    return tag == of_tag && same_text({text, length}, path.text);
  }
};
static_assert(limits::entries_max < live_slot::removal_bit);
static_assert(limits::folders_max < live_slot::removal_bit);

struct live_page {
  live_page* next_replaced;  // not looked at by readers
  live_page* hidden;         // whom the slots of this page hide, or null
  std::uint64_t version;
  std::uint32_t capacity;
  std::uint32_t count;

  [[nodiscard]] live_slot* slots() noexcept { return reinterpret_cast<live_slot*>(this + 1); }
  [[nodiscard]] const live_slot* slots() const noexcept {
    return reinterpret_cast<const live_slot*>(this + 1);
  }
  // The first of this path from a place on, or count.
  [[nodiscard]] std::uint32_t find(const asset_path& path, std::uint16_t tag,
                                   std::uint32_t from = 0) const noexcept {
    while (from < count && !slots()[from].is(path, tag)) ++from;
    return from;
  }
};

// Where the directory says that paths are.
struct live_place {
  live_page* page = nullptr;  // null: there are none
  tag_word tags;              // of its first slots

  // The winner, or null. Nearly always it is the first that it may be, so that is all there is in
  // line.
  [[nodiscard, gnu::always_inline]] const live_slot* find(const asset_path& path) const noexcept {
    const std::uint32_t at = tags.likely_place(path.id);
    if (at < tag_word::places) {
      const live_slot& likely = page->slots()[at];
      if (same_usual_text({likely.text, likely.length}, path.text)) return &likely;
    } else if (!tags.more()) {
      return nullptr;
    }
    return find_anywhere(path);
  }
  [[nodiscard, gnu::noinline]] const live_slot* find_anywhere(
      const asset_path& path) const noexcept {
    const std::uint32_t at = page->find(path, static_cast<std::uint16_t>(path.id.value));
    return at == page->count ? nullptr : page->slots() + at;
  }
  // After the slots have changed.
  void set_tags() noexcept {
    tags = {};
    tags.set_more(page->count > tag_word::places);
    for (std::uint32_t i = 0; i < page->count && i < tag_word::places; ++i) {
      tags.set(i, {page->slots()[i].tag});
    }
  }
};

class live_index {
 public:
  explicit live_index(allocator& memory) noexcept : pages_(memory, memory_tag::vfs) {}
  live_index(const live_index&) = delete;
  live_index& operator=(const live_index&) = delete;

  // The winner, or null.
  [[nodiscard]] const live_slot* find(const asset_path& path) const noexcept {
    const live_slot* const found = pages_[page_of(path.id)].find(path);
    return found && found->is_removal() ? first_of(path, true) : found;
  }
  // The winner among the files of this path, or null.
  [[nodiscard]] const live_slot* find_file(const asset_path& path) const noexcept {
    const live_slot* const found = find(path);
    return found && found->is_folder() ? first_of(path, false) : found;
  }
  // Calls `visit` with each folder of the path and each file that nobody removes, the winner first.
  template <class Visit>
  void visit_all(const asset_path& path, Visit visit) const noexcept {
    bool removed = false;
    visit_slots(path, [&](const live_slot& slot) {
      removed = removed || slot.is_removal();
      if (!removed || slot.is_folder()) visit(slot);
    });
  }
  // The same with removals, and with what they remove.
  template <class Visit>
  void visit_slots(const asset_path& path, Visit visit) const noexcept {
    const live_place& place = pages_[page_of(path.id)];
    const std::uint16_t tag = tag_of(path.id);
    const live_slot* const winner = place.find(path);
    if (!winner) return;
    visit(*winner);
    const live_page* const hidden = place.page->hidden;
    if (!hidden) return;
    for (std::uint32_t at = hidden->find(path, tag); at < hidden->count;
         at = hidden->find(path, tag, at + 1)) {
      visit(hidden->slots()[at]);
    }
  }

  // --- Making the next version, by one thread at a time ---

  // An empty first version. False if the memory was refused, as below.
  [[nodiscard]] bool begin() noexcept;
  // Begins as `from`, with room for `more` paths.
  [[nodiscard]] bool begin(const live_index& from, std::size_t more) noexcept;
  // `first_wins`: mounts of lower rank win.
  [[nodiscard]] bool add(const mount& added, bool first_wins) noexcept;
  [[nodiscard]] bool remove(const mount& removed) noexcept;
  // Why add() was false, if not for want of memory: names that were made to share a hash.
  [[nodiscard]] bool overfull() const noexcept { return overfull_; }
  // Frees what this version does not share with the one it began as. Readers must not know it.
  void discard() noexcept;
  // The pages that this version has and the next one does not any more.
  [[nodiscard]] live_page* replaced() const noexcept { return replaced_; }
  static void free_pages(live_page* first, allocator& memory) noexcept;
  // Frees all pages; for the last version.
  void free_all() noexcept;

 private:
  [[nodiscard]] const live_slot* first_of(const asset_path& path, bool folder) const noexcept {
    const live_slot* first = nullptr;
    visit_all(path, [&](const live_slot& slot) {
      if (!first && slot.is_folder() == folder) first = &slot;
    });
    return first;
  }

  static constexpr std::size_t paths_per_page_max = 4;  // on average
  // Chance never comes near it, and nobody who does not know the multiplier can help it along but
  // by paths of one and the same id.
  static constexpr std::uint32_t paths_of_page_max = 2 * limits::paths_of_id_max;

  static std::uint16_t tag_of(path_id id) noexcept { return static_cast<std::uint16_t>(id.value); }
  [[nodiscard]] std::size_t page_of(path_id id) const noexcept {
    return (id.value * multiplier_) >> shift_;
  }
  [[nodiscard]] bool resize_directory(std::size_t pages) noexcept;
  [[nodiscard]] bool spread(const live_index& from) noexcept;
  // The page as this version may change it, with room for `more` slots; null if refused. Its place
  // is in the directory or in a page that this version may change.
  live_page* writable(live_page*& place, std::uint32_t more) noexcept;
  template <class Visit>
  [[nodiscard]] bool by_pages(const mount& owner, Visit visit) const noexcept;
  [[nodiscard]] bool insert(path_id id, const live_slot& added, bool first_wins) noexcept;
  [[nodiscard]] bool erase(path_id id, const live_slot& erased) noexcept;
  void replace(live_page* page) noexcept;
  static void place(live_page& page, const live_slot& added, std::uint32_t at) noexcept;
  static void take_out(live_page& page, std::uint32_t at) noexcept;

  vec<live_place> pages_;
  std::uint64_t multiplier_ = 1;
  int shift_ = 60;
  std::uint64_t version_ = 0;
  std::size_t paths_ = 0;
  live_page* replaced_ = nullptr;
  bool overfull_ = false;
};

}  // namespace overture::vfs
