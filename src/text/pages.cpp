#include <cstring>
#include <limits>
#include <new>

#include "overture/parallel.hpp"
#include "overture/text_number.hpp"
#include "overture/text_pages.hpp"

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
    void* const place =
        pages <= std::numeric_limits<std::size_t>::max() / sizeof(record)
            ? memory_->allocate(sizeof(record) * pages, alignof(record), memory_tag::host)
            : nullptr;
    if (!place) return fail(errc::out_of_memory, "no memory for the table of pages");
    records_ = static_cast<record*>(place);
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
    if (!scratch_) return fail(errc::out_of_memory, "no memory to write pages in");
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
    if (how == layout::slots) {
      if (!slots_fit) return fail(errc::no_space, "too small for slots", {}, slots);
      return write_slots();
    }
    const unsigned lanes = jobs_ ? lanes_for(*jobs_) : 1;
    if (lanes == 1) return write_in_turn();
    return slots_fit ? write_dense(lanes) : write_measured(lanes);
  }

 private:
  using record = page_table::record;

  // Of a page of the dense layout. Whoever finds `turn` where it wanted to leave `parked`, or the
  // other way round, goes on with the page.
  static constexpr std::uint32_t unwritten = 0;
  static constexpr std::uint32_t parked = 1;  // its text waits in its slot
  static constexpr std::uint32_t turn = 2;    // all pages before it have their places

  [[nodiscard]] unsigned lanes_for(const job_system& jobs) const noexcept {
    unsigned lanes = jobs.concurrency() < pages_.threads_ ? jobs.concurrency() : pages_.threads_;
    if (lanes > pages_.size_) lanes = static_cast<unsigned>(pages_.size_);
    return lanes == 0 ? 1 : lanes;
  }
  // Lines of their own, so that lanes do not share them at the ends.
  [[nodiscard]] std::size_t lane_bytes() const noexcept { return (page_bytes_max_ + 63) / 64 * 64; }
  // Calls body(lane, i) for each page, each lane on one thread at a time, pages in order.
  template <class Body>
  void on_lanes(unsigned lanes, Body body) {
    atomic<std::size_t> next{0};
    const auto run_lane = [this, &next, &body](unsigned lane) {
      for (;;) {
        const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
        if (i >= pages_.size_) return;
        body(lane, i);
      }
    };
    if (lanes <= 1) {
      run_lane(0);
      return;
    }
    job_group group{*jobs_};
    for (unsigned lane = 1; lane < lanes; ++lane) {
      group.run([&run_lane, lane] { run_lane(lane); });
    }
    run_lane(0);
    group.wait();
  }

  // The length of page i as it was written to `out`; 0 if its writer gave up.
  std::uint64_t write_to(std::size_t i, char* out) {
    const char* const end = write_page_(i, out);
    if (end) return static_cast<std::uint64_t>(end - out);
    std::size_t first = failed_page_.load(std::memory_order_relaxed);
    while (i < first && !failed_page_.compare_exchange_weak(first, i, std::memory_order_relaxed)) {
    }
    return 0;
  }
  [[nodiscard]] result<written> finished() const {
    const std::size_t failed = failed_page_.load(std::memory_order_relaxed);
    if (failed != none) return fail(errc::limit, "an object's text is too long", {}, failed);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < pages_.size_; ++i) bytes += pages_.records_[i].entry.bytes;
    return written{bytes, pages_.size_};
  }

  result<written> write_slots() {
    on_lanes(jobs_ ? lanes_for(*jobs_) : 1, [this](unsigned /*lane*/, std::size_t i) {
      record& page = pages_.records_[i];
      page.entry.offset = page.slot;
      page.entry.bytes = write_to(i, buffer_.data() + page.slot);
    });
    return finished();
  }

  // One thread: each page directly to its place, while the longest text still fits.
  result<written> write_in_turn() {
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < pages_.size_; ++i) {
      record& page = pages_.records_[i];
      page.entry.offset = offset;
      if (page.slot_bytes <= buffer_.size() - offset) {
        page.entry.bytes = write_to(i, buffer_.data() + offset);
      } else {
        const result<char*> room = pages_.scratch(lane_bytes());
        if (!room) return tl::unexpected(room.error());
        page.entry.bytes = write_to(i, *room);
        if (page.entry.bytes > buffer_.size() - offset) {
          return fail(errc::no_space, "the buffer is too small", {}, offset + page.entry.bytes);
        }
        std::memcpy(buffer_.data() + offset, *room, page.entry.bytes);
      }
      offset += page.entry.bytes;
    }
    return finished();
  }

  result<written> write_dense(unsigned lanes) {
    const result<char*> room = pages_.scratch(lane_bytes() * lanes);
    if (!room) return tl::unexpected(room.error());
    pages_.records_[0].entry.offset = 0;
    pages_.records_[0].state.store(turn, std::memory_order_relaxed);
    on_lanes(lanes, [this, scratch = *room](unsigned lane, std::size_t i) {
      write_one_dense(i, scratch + lane_bytes() * lane);
    });
    return finished();
  }
  void write_one_dense(std::size_t i, char* scratch) {
    record& page = pages_.records_[i];
    const std::uint64_t bytes = write_to(i, scratch);
    page.entry.bytes = bytes;
    if (page.state.load(std::memory_order_acquire) == turn) {
      // First let the others go on: no place behind this one's can reach into it.
      pass_turn(i);
      std::memcpy(buffer_.data() + page.entry.offset, scratch, bytes);
      return;
    }
    std::memcpy(buffer_.data() + page.slot, scratch, bytes);
    if (page.state.exchange(parked, std::memory_order_acq_rel) != turn) return;
    move_down(page);
    pass_turn(i);
  }
  // Pages move to lower addresses in order, so none is written over before it has moved.
  void move_down(const record& page) noexcept {
    std::memmove(buffer_.data() + page.entry.offset, buffer_.data() + page.slot, page.entry.bytes);
  }
  void pass_turn(std::size_t i) noexcept {
    for (; i + 1 < pages_.size_; ++i) {
      const page_entry& entry = pages_.records_[i].entry;
      record& next = pages_.records_[i + 1];
      next.entry.offset = entry.offset + entry.bytes;
      if (next.state.exchange(turn, std::memory_order_acq_rel) != parked) return;
      move_down(next);
    }
  }

  // Twice: to find out how long the pages are, and to write them where they then belong.
  result<written> write_measured(unsigned lanes) {
    const result<char*> room = pages_.scratch(lane_bytes() * lanes);
    if (!room) return tl::unexpected(room.error());
    on_lanes(lanes, [this, scratch = *room](unsigned lane, std::size_t i) {
      pages_.records_[i].entry.bytes = write_to(i, scratch + lane_bytes() * lane);
    });
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < pages_.size_; ++i) {
      page_entry& entry = pages_.records_[i].entry;
      entry.offset = offset;
      offset += entry.bytes;
    }
    if (failed_page_.load(std::memory_order_relaxed) != none) return finished();
    if (offset > buffer_.size()) return fail(errc::no_space, "too small", {}, offset);
    atomic<bool> changed{false};
    on_lanes(lanes, [this, &changed, scratch = *room](unsigned lane, std::size_t i) {
      const page_entry& entry = pages_.records_[i].entry;
      char* const text = scratch + lane_bytes() * lane;
      // Through the lane's own room, because writers touch a little more than they write.
      if (write_to(i, text) == entry.bytes) {
        std::memcpy(buffer_.data() + entry.offset, text, entry.bytes);
      } else {
        changed.store(true, std::memory_order_relaxed);
      }
    });
    if (changed.load(std::memory_order_relaxed)) {
      return fail(errc::invalid, "the objects were changed while they were written");
    }
    return finished();
  }

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  job_system* jobs_;
  page_table& pages_;
  std::span<char> buffer_;
  write_page_function write_page_;
  std::uint64_t page_bytes_max_ = 0;
  atomic<std::size_t> failed_page_{none};
};

result<written> write_pages(job_system* jobs, page_table& pages, std::span<char> buffer, layout how,
                            write_page_function write_page) {
  if (pages.size() == 0) return written{};
  return page_writing(jobs, pages, buffer, write_page).run(how);
}

result<void> read_pages(job_system* jobs, page_table& pages, std::string_view text,
                        std::size_t objects_max, read_page_function read_page) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < pages.size_; ++i) {
    const page_entry& entry = pages.records_[i].entry;
    if (entry.offset < end || entry.offset > text.size() ||
        entry.bytes > text.size() - entry.offset || entry.objects > objects_max) {
      return fail(errc::corrupt, "the page table does not suit the text", {}, end);
    }
    end = entry.offset + entry.bytes;
  }
  const auto read_one = [&](std::size_t i) {
    page_table::record& page = pages.records_[i];
    page.problem = read_page(i, text.substr(page.entry.offset, page.entry.bytes));
  };
  if (jobs) {
    parallel_for(*jobs, 0, pages.size_, read_one, 1);
  } else {
    for (std::size_t i = 0; i < pages.size_; ++i) read_one(i);
  }
  for (std::size_t i = 0; i < pages.size_; ++i) {
    error problem = pages.records_[i].problem;
    if (problem.reason[0] == '\0') continue;
    problem.offset += pages.records_[i].entry.offset;
    return tl::unexpected(problem);
  }
  return {};
}

}  // namespace overture::text
