// SPDX-License-Identifier: Zlib
#include "overture/load/read_file.hpp"

#include <utility>

#include "base/vec.hpp"
#include "load/file_read.hpp"

namespace overture {
using namespace load_detail;

namespace {

// The future of a file, which is read for it. The outcome keeps the promise.
template <class T>
class file_future : public sync_detail::future_state<T>, protected file_read {
 public:
  template <class End>
  file_future(allocator& memory, memory_tag tag, End end, const read_means& with,
              const read_wishes& wishes) noexcept
      : sync_detail::future_state<T>(memory, tag, end),
        file_read(with, wishes),
        text_(memory, memory_tag::load) {}

  void begin(const asset_path& path) noexcept {
    if (!text_.append(path.text.data(), path.text.size())) {
      return this->set(fail(errc::out_of_memory, "out of memory for reading a file", path.id));
    }
    start({{text_.data(), text_.size()}, path.id});
  }

 private:
  base_detail::vec<char> text_;
};

class bytes_future final : public file_future<blob> {
 public:
  using file_future::file_future;

 private:
  void ended(result<blob> outcome) noexcept override {
    give_room_back();
    set(std::move(outcome));  // the object may be gone after this
  }
};

class asset_future final : public file_future<decoded_asset> {
 public:
  template <class End>
  asset_future(allocator& memory, memory_tag tag, End end, const read_means& with,
               const read_wishes& wishes, std::span<const decoder* const> decoders) noexcept
      : file_future(memory, tag, end, with, wishes), decoders_(decoders) {}

 private:
  void ended(result<blob> outcome) noexcept override {
    if (!outcome) return set(tl::unexpected<error>(outcome.error()));
    content_ = *std::move(outcome);
    for (const decoder* const candidate : decoders_) {
      if (!candidate->accepts(path().text, content_.span())) continue;
      chosen_ = candidate;
      return take_room(ledger());
    }
    finish(fail(errc::unsupported, "no decoder reads this kind of file"));
  }
  [[nodiscard]] bool try_room() noexcept override {
    return chosen_ ? try_more(chosen_->memory_needed(content_.span())) : file_read::try_room();
  }
  void has_room() noexcept override {
    if (!chosen_) return file_read::has_room();
    if (is_cancelled()) return finish(fail(errc::cancelled, "the read was cancelled"));
    finish(chosen_->decode(content_.span(), memory()));
  }
  void finish(result<decoded_asset> made) noexcept {
    content_.reset();
    give_room_back();
    set(about(path().id, std::move(made)));
  }

  const std::span<const decoder* const> decoders_;
  const decoder* chosen_ = nullptr;  // once the content is there
  blob content_;
};

// Where there is no memory for a future of its own.
template <class T>
shared_future<T> without_memory() noexcept {
  static future_storage<T> storage;
  static const shared_future<T> failed = [] {
    promise<T> kept(storage);
    shared_future<T> future = kept.future();
    kept.set_error({.code = errc::out_of_memory, .reason = "out of memory for reading a file"});
    return future;
  }();
  return failed;
}

template <class State, class T, class... Args>
shared_future<T> begin(allocator* memory, const asset_path& path, const read_means& with,
                       const read_wishes& wishes, Args... args) noexcept {
  auto* const state = sync_detail::make_state<State>(memory ? *memory : default_allocator(),
                                                     memory_tag::load, with, wishes, args...);
  if (!state) return without_memory<T>();
  shared_future<T> future = sync_detail::future_of<T>(*state);
  if (!with.jobs.is_of_this_version() || !with.reads.is_of_this_version()) {
    state->set(fail(errc::unsupported, other_version));
  } else {
    state->set_helper(with.jobs);
    state->begin(path);
  }
  return future;
}

}  // namespace

shared_future<blob> read_file(file_system& files, const asset_path& path, buffer_pool& buffers,
                              read_queue& reads, job_system& jobs,
                              const read_file_options& options) noexcept {
  return begin<bytes_future, blob>(options.memory, path, {files, reads, jobs, buffers},
                                   {options.priority, options.cancel, options.deadline_ns});
}

shared_future<decoded_asset> decode_file(file_system& files, const asset_path& path,
                                         buffer_pool& buffers, read_queue& reads, job_system& jobs,
                                         const decode_file_options& options) noexcept {
  return begin<asset_future, decoded_asset>(options.memory, path, {files, reads, jobs, buffers},
                                            {options.priority, options.cancel, options.deadline_ns},
                                            options.decoders);
}

}  // namespace overture
