// SPDX-License-Identifier: Zlib
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "base/guarded_call.hpp"
#include "base/limit_text.hpp"
#include "overture/jobs/parallel.hpp"
#include "overture/text/number.hpp"
#include "overture/text/pages.hpp"
#include "text/float_mode.hpp"

namespace overture::text {

page_table::~page_table() {
  free_all();
}

void page_table::free_all() noexcept {
  for (std::size_t i = 0; i < capacity_; ++i) records_[i].~record();
  if (records_) {
    memory_->deallocate(records_, sizeof(record) * capacity_, alignof(record), memory_tag::host);
  }
  if (scratch_) memory_->deallocate(scratch_, scratch_bytes_, 64, memory_tag::host);
  records_ = nullptr;
  scratch_ = nullptr;
  size_ = capacity_ = scratch_bytes_ = 0;
}

result<void> page_table::prepare(std::size_t pages, unsigned threads) {
  threads_ = threads == 0 ? 1 : threads;
  if (pages > capacity_) {
    free_all();
    void* const memory =
        pages <= std::numeric_limits<std::size_t>::max() / sizeof(record)
            ? memory_->allocate(sizeof(record) * pages, alignof(record), memory_tag::host)
            : nullptr;
    if (!memory) return fail(errc::out_of_memory, "out of memory for the page table");
    records_ = static_cast<record*>(memory);
    for (std::size_t i = 0; i < pages; ++i) ::new (static_cast<void*>(records_ + i)) record;
    capacity_ = pages;
  }
  size_ = pages;
  for (std::size_t i = 0; i < pages; ++i) records_[i].entry = {};
  return {};
}

void page_table::set_page(std::size_t i, std::size_t objects, std::size_t object_bytes) noexcept {
  records_[i].entry = {0, 0, objects};
  records_[i].slot_bytes = objects * object_bytes + slack;
}

result<void> page_table::set_pages(
    job_system* jobs, function_ref<page_room(std::size_t i) noexcept> room_of) noexcept {
  const auto set = [this, &room_of](std::size_t i) noexcept {
    const page_room room = room_of(i);
    records_[i].entry = {0, 0, room.objects};
    records_[i].slot_bytes = room.bytes > page_room::most ? 0 : room.bytes + slack;
  };
  if (jobs) {
    parallel_for(*jobs, 0, size_, set, 1);
  } else {
    for (std::size_t i = 0; i < size_; ++i) set(i);
  }
  for (std::size_t i = 0; i < size_; ++i) {
    if (records_[i].slot_bytes != 0) continue;
    const bool is_deep = room_of(i).bytes == page_room::none;
    return fail(errc::limit,
                is_deep ? limit_text::text_depth : "the text could exceed the address space", {},
                i);
  }
  return {};
}

std::uint64_t page_table::slot_bytes(std::size_t i) const noexcept {
  return records_[i].slot_bytes;
}

void page_table::set_entry(std::size_t i, const page_entry& entry) noexcept {
  records_[i].entry = entry;
}

page_entry page_table::operator[](std::size_t i) const noexcept {
  return records_[i].entry;
}

result<char*> page_table::scratch(std::size_t bytes) noexcept {
  if (bytes > scratch_bytes_) {
    if (scratch_) memory_->deallocate(scratch_, scratch_bytes_, 64, memory_tag::host);
    scratch_ = static_cast<char*>(memory_->allocate(bytes, 64, memory_tag::host));
    scratch_bytes_ = scratch_ ? bytes : 0;
    if (!scratch_) return fail(errc::out_of_memory, "out of memory for writing pages");
  }
  return scratch_;
}

// One call of write_pages().
class page_writing {
 public:
  page_writing(job_system* jobs, page_table& pages, std::span<char> buffer,
               write_page_function write_page) noexcept
      : jobs_(jobs), pages_(pages), buffer_(buffer), write_page_(write_page) {}

  result<written> run(layout how) {
    std::uint64_t slots = 0;
    for (std::size_t i = 0; i < pages_.size_; ++i) {
      record& page = pages_.records_[i];
      page.slot = slots;
      slots += page.slot_bytes;
      if (page.slot_bytes > page_bytes_max_) page_bytes_max_ = page.slot_bytes;
      page.state.store(unwritten, std::memory_order_relaxed);
    }
    const bool slots_fit = slots <= buffer_.size();
    const unsigned writers = jobs_ ? writers_for(*jobs_) : 1;
    set_run_pages(writers);
    if (how == layout::slots) {
      if (!slots_fit) return fail(errc::no_space, "buffer too small for layout::slots", {}, slots);
      return write_slots(writers);
    }
    if (writers == 1) return write_in_turn();
    return slots_fit ? write_dense(writers) : write_measured(writers);
  }

 private:
  using record = page_table::record;

  // Adjacent pages that a thread takes and completes together: one exchange between threads costs
  // as much as writing hundreds of bytes.
  struct run_of_pages {
    std::size_t first;
    std::size_t end;
  };
  static constexpr std::size_t run_pages_max = 8;
  static constexpr std::size_t run_bytes_max = std::size_t{512} << 10;  // fits a core's cache
  static constexpr std::size_t runs_per_writer = 16;  // so that all finish at about the same time

  // States of the first page of a run in the dense layout. The run's writer sets `parked`, the
  // writer of the run before sets `turn`; whichever comes second places the run.
  static constexpr std::uint32_t unwritten = 0;
  static constexpr std::uint32_t parked = 1;  // its text is in its slots
  static constexpr std::uint32_t turn = 2;    // all pages before it are placed

  // The private state of one thread.
  struct writer {
    char* scratch;
    // From the last run that it placed itself.
    std::uint64_t known_end = 0;
    std::size_t known_pages = 0;
    std::uint64_t page_bytes = 0;

    // Assumes that pages are about as long as those before.
    [[nodiscard]] std::uint64_t likely_offset(std::size_t page) const noexcept {
      return known_end + (page - known_pages) * page_bytes;
    }
  };

  [[nodiscard]] unsigned writers_for(const job_system& jobs) const noexcept {
    unsigned writers = jobs.concurrency() < pages_.threads_ ? jobs.concurrency() : pages_.threads_;
    if (writers > pages_.size_) writers = static_cast<unsigned>(pages_.size_);
    return writers == 0 ? 1 : writers;
  }
  void set_run_pages(unsigned writers) noexcept {
    const std::size_t fair = pages_.size_ / (writers * runs_per_writer);
    const std::size_t small = run_bytes_max / page_bytes_max_;
    run_pages_ = std::clamp(std::min(fair, small), std::size_t{1}, run_pages_max);
    runs_left_min_ = writers == 1 ? 1 : 2 * writers;
  }
  // Runs get shorter towards the end, so that writers finish together. Every thread can tell where
  // a run ends from where it begins.
  [[nodiscard]] run_of_pages run_at(std::size_t first) const noexcept {
    const std::size_t left = pages_.size_ - first;
    return {first, first + std::clamp(left / runs_left_min_, std::size_t{1}, run_pages_)};
  }
  // Whole cache lines, so that writers do not share any.
  [[nodiscard]] std::size_t scratch_bytes() const noexcept {
    return (page_bytes_max_ * run_pages_ + 63) / 64 * 64;
  }
  // Calls body(writer, run) for all runs in order; each writer is used by one thread at a time.
  template <class Body>
  void on_writers(unsigned writers, char* scratch, Body body) {
    atomic<std::size_t> next{0};
    const auto run_writer = [this, scratch, &next, &body](unsigned number) {
      writer self{.scratch = scratch ? scratch + scratch_bytes() * number : nullptr};
      std::size_t first = next.load(std::memory_order_relaxed);
      while (first < pages_.size_) {
        const run_of_pages run = run_at(first);
        if (!next.compare_exchange_weak(first, run.end, std::memory_order_relaxed)) continue;
        body(self, run);
        first = next.load(std::memory_order_relaxed);
      }
    };
    if (writers <= 1) {
      run_writer(0);
      return;
    }
    job_group group{*jobs_};
    for (unsigned number = 1; number < writers; ++number) {
      group.run([&run_writer, number] { run_writer(number); });
    }
    run_writer(0);
    group.wait();
  }

  // Writes page i to `out` and returns its length; 0 if its writer gave up.
  std::uint64_t write_to(std::size_t i, char* out) { return write_to(i, out, out); }
  std::uint64_t write_to(std::size_t i, char* out, const char* destination) {
    const char* end = nullptr;
    if (!base_detail::guarded_call([&] { end = write_page_(i, out, destination); })) {
      threw_.store(true, std::memory_order_relaxed);
    }
    if (end) return static_cast<std::uint64_t>(end - out);
    std::size_t first = failed_page_.load(std::memory_order_relaxed);
    while (i < first && !failed_page_.compare_exchange_weak(first, i, std::memory_order_relaxed)) {
    }
    return 0;
  }
  [[nodiscard]] result<written> finished(std::uint64_t bytes) const {
    const std::size_t failed = failed_page_.load(std::memory_order_relaxed);
    if (threw_.load(std::memory_order_relaxed)) {
      return fail(errc::threw, "the function that writes a page threw an exception", {}, failed);
    }
    if (failed != none) {
      return fail(errc::limit, "an object has a string over its maximum, or a valueless variant",
                  {}, failed);
    }
    return written{bytes, pages_.size_};
  }
  // Without gaps, the end of the last page is the size of the text.
  [[nodiscard]] result<written> finished() const {
    const page_entry& last = pages_.records_[pages_.size_ - 1].entry;
    return finished(last.offset + last.bytes);
  }

  result<written> write_slots(unsigned writers) {
    on_writers(writers, nullptr, [this](writer& /*self*/, run_of_pages run) {
      for (std::size_t i = run.first; i < run.end; ++i) {
        record& page = pages_.records_[i];
        page.entry.offset = page.slot;
        page.entry.bytes = write_to(i, buffer_.data() + page.slot);
      }
    });
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < pages_.size_; ++i) bytes += pages_.records_[i].entry.bytes;
    return finished(bytes);
  }

  // One thread: straight into place as long as a page of maximum size still fits.
  result<written> write_in_turn() {
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < pages_.size_; ++i) {
      record& page = pages_.records_[i];
      page.entry.offset = offset;
      if (page.slot_bytes <= buffer_.size() - offset) {
        page.entry.bytes = write_to(i, buffer_.data() + offset);
      } else {
        const result<char*> scratch = pages_.scratch(scratch_bytes());
        if (!scratch) return tl::unexpected(scratch.error());
        page.entry.bytes = write_to(i, *scratch);
        if (page.entry.bytes > buffer_.size() - offset) {
          return fail(errc::no_space, "buffer too small", {}, offset + page.entry.bytes);
        }
        std::memcpy(buffer_.data() + offset, *scratch, page.entry.bytes);
      }
      offset += page.entry.bytes;
    }
    return finished();
  }

  result<written> write_dense(unsigned writers) {
    const result<char*> scratch = pages_.scratch(scratch_bytes() * writers);
    if (!scratch) return tl::unexpected(scratch.error());
    pages_.records_[0].entry.offset = 0;
    pages_.records_[0].state.store(turn, std::memory_order_relaxed);
    on_writers(writers, *scratch, [this](writer& self, run_of_pages run) { write_run(self, run); });
    return finished();
  }
  // Pages are written to scratch until the run's offset is known, and straight into place from then
  // on. Scratch is then copied to its place or, if the offset is still unknown at the end, to the
  // run's slots. Writers prefetch the likely destination, which is what the copy would wait for.
  void write_run(writer& self, run_of_pages run) {
    record& head = pages_.records_[run.first];
    const auto is_placed = [&head] { return head.state.load(std::memory_order_acquire) == turn; };
    const char* const destination =
        buffer_.data() + std::min(self.likely_offset(run.first), head.slot);
    std::uint64_t bytes = 0;
    std::size_t i = run.first;
    for (; i < run.end && !is_placed(); ++i) {
      page_entry& entry = pages_.records_[i].entry;
      entry.bytes = write_to(i, self.scratch + bytes, destination + bytes);
      bytes += entry.bytes;
    }
    const std::uint64_t staged = bytes;
    if (i < run.end || is_placed()) {
      const std::uint64_t offset = head.entry.offset;
      // Writers may touch bytes beyond their text: nothing is placed there before the turn passes.
      for (; i < run.end; ++i) {
        page_entry& entry = pages_.records_[i].entry;
        entry.bytes = write_to(i, buffer_.data() + offset + bytes);
        bytes += entry.bytes;
      }
      self.known_end = offset + bytes;
      self.known_pages = run.end;
      self.page_bytes = bytes / (run.end - run.first);
      // Pass the turn before copying: later runs are placed after this one and never overlap it.
      pass_turn(run);
      std::memcpy(buffer_.data() + offset, self.scratch, staged);
      return;
    }
    self.page_bytes = bytes / (run.end - run.first);
    std::memcpy(buffer_.data() + head.slot, self.scratch, bytes);
    if (head.state.exchange(parked, std::memory_order_acq_rel) != turn) return;
    move_down(run);
    pass_turn(run);
  }
  // Runs move to lower addresses in order, so none is overwritten before it has moved.
  void move_down(run_of_pages run) noexcept {
    const record& head = pages_.records_[run.first];
    std::uint64_t bytes = 0;
    for (std::size_t i = run.first; i < run.end; ++i) bytes += pages_.records_[i].entry.bytes;
    std::memmove(buffer_.data() + head.entry.offset, buffer_.data() + head.slot, bytes);
  }
  void pass_turn(run_of_pages run) noexcept {
    for (;;) {
      std::uint64_t offset = pages_.records_[run.first].entry.offset;
      for (std::size_t i = run.first; i < run.end; ++i) {
        page_entry& entry = pages_.records_[i].entry;
        entry.offset = offset;
        offset += entry.bytes;
      }
      if (run.end == pages_.size_) return;
      record& next = pages_.records_[run.end];
      next.entry.offset = offset;
      if (next.state.exchange(turn, std::memory_order_acq_rel) != parked) return;
      run = run_at(run.end);
      move_down(run);
    }
  }

  // Two passes: measure all pages, then write them where they belong.
  result<written> write_measured(unsigned writers) {
    const result<char*> scratch = pages_.scratch(scratch_bytes() * writers);
    if (!scratch) return tl::unexpected(scratch.error());
    on_writers(writers, *scratch, [this](const writer& self, run_of_pages run) {
      for (std::size_t i = run.first; i < run.end; ++i) {
        pages_.records_[i].entry.bytes = write_to(i, self.scratch);
      }
    });
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < pages_.size_; ++i) {
      page_entry& entry = pages_.records_[i].entry;
      entry.offset = offset;
      offset += entry.bytes;
    }
    if (failed_page_.load(std::memory_order_relaxed) != none) return finished();
    if (offset > buffer_.size()) return fail(errc::no_space, "buffer too small", {}, offset);
    atomic<bool> changed{false};
    on_writers(writers, *scratch, [this, &changed](const writer& self, run_of_pages run) {
      for (std::size_t i = run.first; i < run.end; ++i) {
        const page_entry& entry = pages_.records_[i].entry;
        char* const destination = buffer_.data() + entry.offset;
        // Through scratch, because writers touch bytes beyond their text.
        if (write_to(i, self.scratch, destination) == entry.bytes) {
          std::memcpy(destination, self.scratch, entry.bytes);
        } else {
          changed.store(true, std::memory_order_relaxed);
        }
      }
    });
    if (changed.load(std::memory_order_relaxed)) {
      return fail(errc::invalid, "objects changed while they were written");
    }
    return finished();
  }

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  job_system* jobs_;
  page_table& pages_;
  std::span<char> buffer_;
  write_page_function write_page_;
  std::uint64_t page_bytes_max_ = 1;
  std::size_t run_pages_ = 1;
  std::size_t runs_left_min_ = 1;
  atomic<std::size_t> failed_page_{none};
  atomic<bool> threw_{false};
};

result<written> write_pages(job_system* jobs, page_table& pages, std::span<char> buffer, layout how,
                            write_page_function write_page) {
  if (jobs && !jobs->is_of_this_version()) return fail(errc::unsupported, other_version);
  if (pages.size() == 0) return written{};
  return page_writing(jobs, pages, buffer, write_page).run(how);
}

// A class, because mingw's GCC warns about a friend function that a DLL exports.
class page_reading {
 public:
  static result<void> run(job_system* jobs, page_table& pages, std::string_view text,
                          std::size_t objects_max, read_page_function read_page) {
    if (result<void> fits = check(pages, text, objects_max); !fits) return fits;
    const auto read_one = [&](std::size_t i) {
      page_table::record& page = pages.records_[i];
      // Here and not per number: read_page may have the code that reads numbers inlined.
      const float_mode_scope default_mode;
      const std::string_view page_text = text.substr(page.entry.offset, page.entry.bytes);
      switch (base_detail::guarded_outcome([&] { page.problem = read_page(i, page_text); })) {
        case base_detail::outcome::returned:
          break;
        case base_detail::outcome::threw:
          page.problem = {errc::threw, 0, "the function that reads a page threw an exception"};
          break;
        case base_detail::outcome::out_of_memory:
          page.problem = {errc::out_of_memory, 0, "a member of an object got no memory"};
          break;
      }
    };
    if (jobs) {
      parallel_for(*jobs, 0, pages.size_, read_one, 1);
    } else {
      for (std::size_t i = 0; i < pages.size_; ++i) read_one(i);
    }
    return first_problem(pages);
  }

 private:
  static result<void> check(const page_table& pages, std::string_view text,
                            std::size_t objects_max) noexcept {
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < pages.size_; ++i) {
      const page_entry& entry = pages.records_[i].entry;
      if (entry.offset < end || entry.offset > text.size() ||
          entry.bytes > text.size() - entry.offset || entry.objects > objects_max) {
        return fail(errc::corrupt, "page table does not match the text", {}, end);
      }
      end = entry.offset + entry.bytes;
    }
    return {};
  }

  static result<void> first_problem(const page_table& pages) noexcept {
    for (std::size_t i = 0; i < pages.size_; ++i) {
      error problem = pages.records_[i].problem;
      if (problem.reason[0] == '\0') continue;
      problem.offset += pages.records_[i].entry.offset;
      return tl::unexpected(problem);
    }
    return {};
  }
};

result<void> read_pages(job_system* jobs, page_table& pages, std::string_view text,
                        std::size_t objects_max, read_page_function read_page) {
  if (jobs && !jobs->is_of_this_version()) return fail(errc::unsupported, other_version);
  return page_reading::run(jobs, pages, text, objects_max, read_page);
}

}  // namespace overture::text
