// SPDX-License-Identifier: Zlib
//
// paged<T>: objects in pages. Addresses never change, and pages are the unit of parallel work.
//
//   paged<unit> units;  // pages of 1,024, memory from the default allocator
//   result<unit*> knight = units.add(unit{.health = 100});
//   units.remove(*knight);  // leaves a hole, which a later add() fills
//   units.for_each([](unit& each) { each.age(); });
//   units.for_each(jobs, [](unit& each) { each.age(); });  // page by page, on all threads
//
// Order: pages by age, objects by position in the page. An object added into a hole takes the
// hole's place in the order.
//
// Cost: an object takes its size and one bit. A page is one allocation; pages added together by
// add_pages() share allocations of up to 1 MiB. add() finds the first page with room and never
// moves an object. remove() finds the page by address, with a binary search.
//
// An exception that leaves a visitor of for_each(jobs, ...) ends its page: the other objects there
// are not visited. It is reported as for parallel_for() (parallel.hpp).
//
// Threads: one thread at a time may add and remove; while none does, any number may read and change
// objects.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/jobs/parallel.hpp"

namespace overture {

template <class T, std::size_t PageSize = 1024>
class paged {
  static_assert(PageSize > 0 && PageSize % 64 == 0,
                "PageSize must be a multiple of 64: occupancy is kept in 64-bit words");
  struct slot;

 public:
  using value_type = T;
  static constexpr std::size_t page_size = PageSize;

  // PageSize adjacent places, of which some hold objects. Objects are visited in order.
  class page {
   public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    template <class Visit>
    void for_each(Visit&& visit) {
      visit_all(*this, visit);
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
      visit_all(*this, visit);
    }
    // Returns the state after state = step(state, object) for each object. Unlike what a visitor
    // captures by reference, a state of one word stays in a register.
    template <class State, class Step>
    [[nodiscard]] State fold(State state, Step step) const {
      return fold_all(*this, state, step);
    }

   private:
    friend class paged;

    template <class Self, class State, class Step>
    static State fold_all(Self& self, State state, Step step) {
      // Read once: as far as the compiler knows, step() may write to this page too.
      auto* const objects = self.at(0);
      // Each turn visits the objects up to the next hole or the end of the word. step() is called
      // in one place only, so that it is inlined.
      for (std::size_t i = 0; i < PageSize;) {
        const std::uint64_t left = self.present_[i / 64] >> i % 64;
        if (left == 0) {
          i = (i / 64 + 1) * 64;
          continue;
        }
        const int holes = std::countr_zero(left);
        i += static_cast<std::size_t>(holes);
        const auto end = i + static_cast<std::size_t>(std::countr_one(left >> holes));
        for (; i < end; ++i) state = step(state, objects[i]);
      }
      return state;
    }
    template <class Self, class Visit>
    static void visit_all(Self& self, Visit& visit) {
      (void)fold_all(self, true, [&visit](bool going, auto& object) {
        visit(object);
        return going;
      });
    }
    explicit page(void* storage) noexcept : storage_(storage) {}

    [[nodiscard]] T* at(std::size_t i) noexcept { return static_cast<T*>(storage_) + i; }
    [[nodiscard]] const T* at(std::size_t i) const noexcept {
      return static_cast<const T*>(storage_) + i;
    }
    // The page must not be full.
    [[nodiscard]] std::size_t first_hole() const noexcept {
      if (size_ == end_) return end_;
      std::size_t word = 0;
      while (present_[word] == ~std::uint64_t{0}) ++word;
      return word * 64 + static_cast<std::size_t>(std::countr_one(present_[word]));
    }
    template <class... Args>
    T* construct(std::size_t i, Args&&... args) {
      T* const made = ::new (static_cast<void*>(at(i))) T{std::forward<Args>(args)...};
      present_[i / 64] |= std::uint64_t{1} << i % 64;
      ++size_;
      if (i >= end_) end_ = i + 1;
      return made;
    }
    // Takes over objects that were constructed after the last one.
    void adopt(std::size_t count) noexcept {
      for (; count > 0; --count, ++end_, ++size_) {
        present_[end_ / 64] |= std::uint64_t{1} << end_ % 64;
      }
    }
    void destroy(std::size_t i) noexcept {
      at(i)->~T();
      present_[i / 64] &= ~(std::uint64_t{1} << i % 64);
      --size_;
    }

    std::uint64_t present_[PageSize / 64] = {};
    std::size_t size_ = 0;
    std::size_t end_ = 0;  // one past the last place ever used
    void* storage_;        // after the page headers of its block
  };

  explicit paged(allocator& memory = default_allocator()) noexcept : memory_(&memory) {}
  paged(paged&& other) noexcept
      : memory_(other.memory_),
        pages_(std::exchange(other.pages_, nullptr)),
        page_count_(std::exchange(other.page_count_, 0)),
        page_capacity_(std::exchange(other.page_capacity_, 0)),
        first_with_room_(std::exchange(other.first_with_room_, 0)) {}
  paged& operator=(paged&& other) noexcept {
    if (this != &other) {
      clear();
      std::swap(memory_, other.memory_);
      std::swap(pages_, other.pages_);
      std::swap(page_count_, other.page_count_);
      std::swap(page_capacity_, other.page_capacity_);
      std::swap(first_with_room_, other.first_with_room_);
    }
    return *this;
  }
  paged(const paged&) = delete;
  paged& operator=(const paged&) = delete;
  ~paged() { clear(); }

  // Constructs a T{args...} in the first hole, or on a new page if there is none. Errors:
  // out_of_memory, and nothing has changed.
  template <class... Args>
  result<T*> add(Args&&... args) {
    while (first_with_room_ < page_count_ && pages_[first_with_room_].size == PageSize)
      ++first_with_room_;
    if (first_with_room_ == page_count_ && !add_block(1)) {
      return fail(errc::out_of_memory, "out of memory for another page of objects");
    }
    page& target = *pages_[first_with_room_].at;
    T* const made = target.construct(target.first_hole(), std::forward<Args>(args)...);
    pages_[first_with_room_].size = target.size_;
    return made;
  }
  // Destroys `object`, which must be in this paged<T>. Its page stays, even when empty.
  void remove(const T* object) noexcept {
    const std::size_t index = page_of(object);
    page& target = *pages_[index].at;
    target.destroy(static_cast<std::size_t>(object - target.at(0)));
    pages_[index].size = target.size_;
    if (index < first_with_room_) first_with_room_ = index;
  }
  // Destroys all objects and frees all memory.
  void clear() noexcept {
    for (std::size_t i = 0; i < page_count_; ++i) {
      pages_[i].at->for_each([](T& object) { object.~T(); });
    }
    for (std::size_t i = 0; i < page_count_; ++i) free_block(i);
    if (pages_) {
      memory_->deallocate(pages_, sizeof(slot) * page_capacity_, alignof(slot), memory_tag::host);
    }
    pages_ = nullptr;
    page_count_ = page_capacity_ = first_with_room_ = 0;
  }

  // Counts by walking the table of pages.
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < page_count_; ++i) count += pages_[i].size;
    return count;
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t page_count() const noexcept { return page_count_; }
  // page_at(i).size(), without touching the memory of the page.
  [[nodiscard]] std::size_t page_objects(std::size_t i) const noexcept { return pages_[i].size; }
  [[nodiscard]] page& page_at(std::size_t i) noexcept { return *pages_[i].at; }
  [[nodiscard]] const page& page_at(std::size_t i) const noexcept { return *pages_[i].at; }
  [[nodiscard]] allocator& memory() const noexcept { return *memory_; }

  // Calls visit(object) for each object, in order.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::size_t i = 0; i < page_count_; ++i) pages_[i].at->for_each(visit);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < page_count_; ++i) std::as_const(*pages_[i].at).for_each(visit);
  }
  // The same on all threads of the job system, several pages at once. Returns when all are visited.
  template <class Visit, bool Exceptions = detail::exceptions>
  void for_each(job_system& jobs, Visit&& visit) {
    parallel_for(jobs, 0, page_count_, [&](std::size_t i) { pages_[i].at->for_each(visit); });
  }

  // -- filling many pages at once, as text::read() does --

  // Adds empty pages and returns the index of the first. Appenders may then fill different pages on
  // different threads. Errors: out_of_memory, and nothing has changed.
  result<std::size_t> add_pages(std::size_t count) {
    const std::size_t first = page_count_;
    while (count > 0) {
      const std::size_t together = count < block_pages_max ? count : block_pages_max;
      if (!add_block(together)) {
        drop_pages(first);
        return fail(errc::out_of_memory, "out of memory for more pages of objects");
      }
      count -= together;
    }
    return first;
  }
  // Appends up to `most` value-initialised objects to such a page. They become part of the page
  // when the appender is destroyed. One appender per page at a time.
  class appender {
   public:
    appender(paged& objects, std::size_t page_index, std::size_t most) noexcept
        : slot_(&objects.pages_[page_index]),
          page_(slot_->at),
          begin_(page_->at(page_->end_)),
          next_(begin_),
          end_(begin_ + (most < PageSize - page_->end_ ? most : PageSize - page_->end_)) {}
    ~appender() {
      page_->adopt(size());
      slot_->size = page_->size_;
    }
    appender(const appender&) = delete;
    appender& operator=(const appender&) = delete;

    // Null if the page is full or `most` objects have been added.
    T* add() { return next_ != end_ ? ::new (static_cast<void*>(next_++)) T{} : nullptr; }
    [[nodiscard]] std::size_t size() const noexcept {
      return static_cast<std::size_t>(next_ - begin_);
    }

   private:
    slot* slot_;
    page* page_;
    T* begin_;
    T* next_;
    T* end_;
  };
  // Destroys the objects of such a page; the page stays.
  void clear_page(std::size_t page_index) noexcept {
    page& target = *pages_[page_index].at;
    while (target.size_ > 0) target.destroy(target.size_ - 1);
    target.end_ = 0;
    pages_[page_index].size = 0;
  }
  // Removes the pages from `first` on with their objects.
  void drop_pages(std::size_t first) noexcept {
    while (page_count_ > first) drop_last_page();
  }

 private:
  struct slot {
    page* at;                 // in order of age
    std::size_t size;         // a copy of at->size_
    std::size_t by_address;   // in slot i: the index of the i-th page by address
    std::size_t block_pages;  // pages in the block that begins with this page; 0 within a block
  };

  // A block is several pages in one allocation: first all page headers, then all objects. Adding
  // pages does not touch the memory of the objects, so the thread that fills a page touches it
  // first.
  static constexpr std::size_t block_alignment = alignof(T) < 64 ? 64 : alignof(T);
  static constexpr std::size_t page_bytes = sizeof(page) + sizeof(T) * PageSize;
  static constexpr std::size_t block_pages_max =
      page_bytes < (std::size_t{1} << 20) ? (std::size_t{1} << 20) / page_bytes : 1;
  static constexpr std::size_t heads_bytes(std::size_t count) noexcept {
    return (sizeof(page) * count + block_alignment - 1) / block_alignment * block_alignment;
  }
  static constexpr std::size_t block_bytes(std::size_t count) noexcept {
    return heads_bytes(count) + sizeof(T) * PageSize * count;
  }

  bool add_block(std::size_t count) noexcept {
    while (page_capacity_ - page_count_ < count) {
      if (!grow()) return false;
    }
    void* const memory = memory_->allocate(block_bytes(count), block_alignment, memory_tag::host);
    if (!memory) return false;
    auto* const objects = static_cast<std::byte*>(memory) + heads_bytes(count);
    std::size_t at = page_count_;
    for (; at > 0 && std::less<>{}(memory, pages_[pages_[at - 1].by_address].at->storage_); --at) {
      pages_[at - 1 + count].by_address = pages_[at - 1].by_address;
    }
    for (std::size_t i = 0; i < count; ++i) {
      void* const storage = objects + sizeof(T) * PageSize * i;
      slot& made = pages_[page_count_ + i];
      made.at = ::new (static_cast<void*>(static_cast<page*>(memory) + i)) page(storage);
      made.size = 0;
      made.block_pages = i == 0 ? count : 0;
      pages_[at + i].by_address = page_count_ + i;
    }
    page_count_ += count;
    return true;
  }
  // Frees the block that begins with page i, if one does. Its pages must not be used after.
  void free_block(std::size_t i) noexcept {
    const std::size_t count = pages_[i].block_pages;
    if (count == 0) return;
    memory_->deallocate(pages_[i].at, block_bytes(count), block_alignment, memory_tag::host);
  }
  bool grow() noexcept {
    const std::size_t capacity = page_capacity_ == 0 ? 16 : page_capacity_ * 2;
    void* const memory =
        memory_->allocate(sizeof(slot) * capacity, alignof(slot), memory_tag::host);
    if (!memory) return false;
    auto* const grown = static_cast<slot*>(memory);
    for (std::size_t i = 0; i < page_count_; ++i) ::new (grown + i) slot(pages_[i]);
    for (std::size_t i = page_count_; i < capacity; ++i) ::new (grown + i) slot{};
    if (pages_) {
      memory_->deallocate(pages_, sizeof(slot) * page_capacity_, alignof(slot), memory_tag::host);
    }
    pages_ = grown;
    page_capacity_ = capacity;
    return true;
  }
  void drop_last_page() noexcept {
    const std::size_t last = page_count_ - 1;
    std::size_t at = 0;
    while (pages_[at].by_address != last) ++at;
    for (; at < last; ++at) pages_[at].by_address = pages_[at + 1].by_address;
    pages_[last].at->for_each([](T& object) { object.~T(); });
    free_block(last);
    page_count_ = last;
    if (first_with_room_ > page_count_) first_with_room_ = page_count_;
  }
  [[nodiscard]] std::size_t page_of(const T* object) const noexcept {
    std::size_t low = 0;
    std::size_t high = page_count_;
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      const T* const begin = pages_[pages_[middle].by_address].at->at(0);
      (std::less_equal<>{}(begin, object) ? low : high) = middle;
    }
    return pages_[low].by_address;
  }

  allocator* memory_;
  slot* pages_ = nullptr;
  std::size_t page_count_ = 0;
  std::size_t page_capacity_ = 0;
  std::size_t first_with_room_ = 0;  // all pages before this one are full
};

}  // namespace overture
