// SPDX-License-Identifier: Zlib
//
// needs: which asset needs which, and what only others keep alive.
//
// An asset must not need itself, by way of others either: nothing of such a circle could ever be
// ready. While some assets are reloaded, what they needed before may not count any more. A need
// that would close a circle only by way of such needs is doubtful: its parent waits, and judge()
// decides once the reloads have ended. So a circle is one of the newest values.
//
// Each asset has a rank, lower than those of what it needs. A need that the ranks allow closes no
// circle, which costs nothing to see; for others only assets whose ranks are in between are walked
// over, and those below are moved down (as in Pearce and Kelly, A dynamic topological sort
// algorithm for directed acyclic graphs, 2006).
//
// No two wait for each other for ever: what waits for a reload needs it, by way of newest needs
// only, and those have no circle. What has changed while it waits begins again.
//
// Not synchronised: the store's lock guards it.
#pragma once

#include "assets/slot.hpp"

namespace overture::assets_detail {

// One asset names another while it is decoded.
struct need {
  slot* parent = nullptr;
  slot* child = nullptr;
  bool needed = false;    // not only wanted: the child is held for it
  bool may_fail = false;  // the child: the parent can do without
  bool pending = false;   // the parent waits for the child, or because it is doubtful
  bool doubtful = false;
  need* next_of_parent = nullptr;
  need* before_of_child = nullptr;
  need* next_of_child = nullptr;
  need* next_doubt = nullptr;

  // How many handles it stands for: its own, and that in the parent's value.
  [[nodiscard]] std::uint32_t handles() const noexcept { return needed ? 2 : 1; }
};

// The asset of the whole file, of which this part was made; null if it is not a part.
[[nodiscard]] inline const slot* whole_of(const slot& part) noexcept {
  if (part.of == nullptr || part.of->reads || !part.of->dependent) return nullptr;
  for (const need* each = part.needs; each != nullptr; each = each->next_of_parent) {
    if (each->needed && each->child->path.id == part.path.id) return each->child;
  }
  return nullptr;
}

// What a need closes.
enum class circle : std::uint8_t {
  none,
  doubtful,  // one by way of what an asset needed before its reload that is under way
  certain,
};

class needs {
 public:
  explicit needs(allocator& memory) noexcept : memory_(memory) {}
  ~needs();
  needs(const needs&) = delete;
  needs& operator=(const needs&) = delete;

  // Notes that `parent` needs `child`, holds it, and waits for it if it is not decided, or if the
  // need is doubtful. Errors: invalid if that would close a circle of needs, out_of_memory. A
  // reload stands for its asset.
  [[nodiscard]] result<void> add(slot& parent, slot& child, bool may_fail = false) noexcept;
  // Judges the doubtful needs again. Those that close a circle are given up, and their parents fail
  // with that; the others wait for their child only. Returns the parents that wait no longer,
  // linked by woken_next.
  [[nodiscard]] slot* judge() noexcept;
  [[nodiscard]] bool has_doubts() const noexcept { return doubts_ != nullptr; }
  // Counts a save, which may open a circle; true if a need has ever closed one. slot::circle_at is
  // the count when that happened.
  bool note_save() noexcept {
    ++saves_;
    return had_circles_;
  }
  // It failed because a need closed a circle, but there was a save since: it is to be tried again.
  [[nodiscard]] bool may_be_opened(const slot& one) const noexcept {
    return one.circle_at != 0 && one.circle_at != saves_;
  }
  // Notes that the value of `parent` will have a handle on `child`. Nothing without memory: it is
  // only for what others ask below.
  void add_wanted(slot& parent, slot& child) noexcept;
  // Each gets what the other needs.
  static void exchange(slot& one, slot& other) noexcept;
  // Forgets what `parent` needs, and gives it up.
  void remove_all(slot& parent) noexcept;
  // Its loader has failed with the values of what it needs, and may not with others: `parent` has
  // those in slot::failed_with now, and a handle on each.
  void keep_failed(slot& parent) noexcept;
  // The same if it failed because `child` did, which did so. Nothing without memory.
  void keep_failed(slot& parent, slot& child) noexcept;
  // `from` was to bring another value of `to`.
  static void move_failed(slot& from, slot& to) noexcept;
  void forget_failed(slot& parent) noexcept;
  // `child` has settled: those that waited for it wait no longer. They are linked by walk_next
  // until the next call of these functions, and slot::lacks says which cannot do without it; null
  // if there are none.
  [[nodiscard]] slot* settle(slot& child) noexcept;
  // A walk over assets, each once, linked by walk_next: good until the next call of the others.
  struct walk {
    slot* first = nullptr;
    slot* last = nullptr;
  };
  [[nodiscard]] walk begin_walk() noexcept {
    ++visits_;
    return {};
  }
  void meet(slot& one, walk& in) const noexcept;
  // `from` and all that it waits for, directly or by way of others, linked likewise.
  [[nodiscard]] slot* waited_for(slot& from) noexcept;
  // What becomes free if the value of `root` goes: its own bytes, and those of what is ready and
  // has no handles but those that it, and what becomes free with it, have. A value counts as having
  // one handle on each asset that it has named. Looks 64 needs deep, so that a chain of any length
  // goes in a time in proportion to it.
  [[nodiscard]] std::uint64_t kept_alive_by(slot& root) noexcept;

  // What holds each asset, in slot::held_by: look_at() each, then follow() once.
  class holders {
   public:
    void look_at(slot& one) noexcept;
    void follow() noexcept;

   private:
    slot* found_ = nullptr;  // linked by walk_next
  };

 private:
  [[nodiscard]] need* take() noexcept;
  // Into and out of these lists.
  static void link(need& one, need*& of_parent, need*& of_child) noexcept;
  static void unlink_child(need& one, need*& of_child) noexcept;
  void let_go(need& one, need*& of_child, bool holds) noexcept;
  void give_up(need& one) noexcept;
  void note_circle(slot& parent) noexcept;
  [[nodiscard]] bool is_old(const need& one) const noexcept;
  [[nodiscard]] circle closes(slot& parent, const slot& child) noexcept;
  void put_below(slot& parent, slot& child) noexcept;
  [[nodiscard]] bool reaches(const slot& child, slot& parent, bool by_old_needs,
                             bool& met_old) noexcept;

  allocator& memory_;
  need* free_ = nullptr;      // linked by next_of_parent
  need* doubts_ = nullptr;    // linked by next_doubt
  std::size_t unranked_ = 0;  // doubtful needs, which have no part in the ranks
  std::uint32_t visits_ = 0;
  std::uint64_t saves_ = 1;
  bool had_circles_ = false;
};

}  // namespace overture::assets_detail
