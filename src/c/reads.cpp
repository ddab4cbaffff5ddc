// SPDX-License-Identifier: Zlib
//
// Reads that do not block: overture/c/reads.h.
#include "overture/c/reads.h"

#include <optional>

#include "c/duration.hpp"
#include "c/handles.hpp"
#include "overture/load/read_file.hpp"

using namespace overture;
using namespace overture::c;

struct overture_read {
  overture_read(overture_reads* from, const overture_read_options& options) noexcept
      : reads(from), done(options.done), context(options.context) {
    reads->users.add();
  }
  // The job that has completed the read may hold it for a while yet, but not the bytes.
  ~overture_read() {
    if (bytes.valid() && bytes.is_ready()) (void)bytes.take();
  }
  overture_read(const overture_read&) = delete;
  overture_read& operator=(const overture_read&) = delete;

  overture_reads* const reads;  // a user until the program frees the read
  read_cancellation cancel;
  blob path;
  shared_future<blob> bytes;  // not valid once taken
  const overture_read_done done;
  void* const context;
  continuation call;
  // The program holds the read, and so does a call of done() that has not returned.
  atomic<std::uint32_t> holders{1};
  atomic<bool> called{false};
};

namespace {

constexpr const char* no_read = "the read is NULL";

std::optional<load_priority> load_priority_of(std::int32_t priority) noexcept {
  switch (priority) {
    case OVERTURE_READ_HIGH:
      return load_priority::high;
    case OVERTURE_READ_NORMAL:
      return load_priority::normal;
    case OVERTURE_READ_LOW:
      return load_priority::low;
    default:
      return std::nullopt;
  }
}

void drop(overture_read* read) noexcept {
  if (read->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(read);
}

void call_done(void* self) noexcept {
  auto* const read = static_cast<overture_read*>(self);
  read->called.store(true, std::memory_order_release);
  read->done(read->context, read);
  drop(read);
}

bool is_done(const overture_read& read) noexcept {
  return !read.bytes.valid() || read.bytes.is_ready();
}

}  // namespace

overture_code overture_reads_make(overture_files* files, overture_pool* pool,
                                  const overture_reads_config* config, overture_reads** reads,
                                  overture_error* error) {
  if (reads == nullptr) return invalid(error, "there is no place for the reads");
  *reads = nullptr;
  if (files == nullptr) return invalid(error, "the files are NULL");
  if (pool == nullptr) return invalid(error, "the pool is NULL");
  overture_reads_config wanted;
  if (const overture_code flaw = read_options(config, wanted, error)) return flaw;
  if (wanted.threads > limits::io_threads_max) {
    return failed(error, errc::limit, "more read threads than there may be");
  }
  given_allocator memory;
  if (const char* const flaw = memory.set(wanted.memory)) return invalid(error, flaw);
  read_queue_config how{.backend = wanted.uring ? read_backend::uring : read_backend::threads,
                        .threads = wanted.threads,
                        .wake_ahead = &pool->jobs};
  if (wanted.timeline != nullptr) how.record = &wanted.timeline->record;
  overture_reads* const made = make<overture_reads>(files, pool, how, wanted.timeline, memory);
  if (made == nullptr) return out_of_memory(error);
  if (const result<void> status = made->queue.status(); !status) {
    destroy(made);
    return failed(error, status.error());
  }
  *reads = made;
  return fine(error);
}

overture_code overture_reads_free(overture_reads* reads, overture_error* error) {
  return end_unused(reads, "reads, loads or a store still use the reads", error);
}

overture_code overture_read_begin(overture_reads* reads, const char* path,
                                  const overture_read_options* options, overture_read** read,
                                  overture_error* error) {
  if (read == nullptr) return invalid(error, "there is no place for the read");
  *read = nullptr;
  if (reads == nullptr) return invalid(error, "the reads are NULL");
  overture_read_options wanted;
  if (const overture_code flaw = read_options(options, wanted, error)) return flaw;
  const std::optional<load_priority> priority = load_priority_of(wanted.priority);
  if (!priority) return invalid(error, "an unknown OVERTURE_READ_...");
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  buffer_pool& buffers = reads->files->buffers.pool();
  result<blob> text = buffers.take(normal->text.size());
  if (!text) return failed(error, text.error());
  if (!text->empty()) std::memcpy(text->data(), normal->text.data(), text->size());
  auto* const made = make<overture_read>(reads, wanted);
  if (made == nullptr) return out_of_memory(error);
  made->path = *std::move(text);
  made->bytes = read_file(
      reads->files->tree, *normal, buffers, reads->queue, reads->pool->jobs,
      {.priority = *priority, .cancel = &made->cancel, .deadline_ns = wanted.deadline_ns});
  *read = made;
  if (made->done == nullptr) return fine(error);
  fine(error);
  made->holders.fetch_add(1, std::memory_order_relaxed);
  made->call.work = {call_done, made};
  made->call.where = &reads->callbacks;
  made->bytes.on_ready(made->call);  // from here on the read may be gone
  return OVERTURE_OK;
}

bool overture_read_is_done(const overture_read* read) {
  return read != nullptr && is_done(*read);
}

overture_code overture_read_wait(overture_read* read, overture_error* error) {
  if (read == nullptr) return invalid(error, no_read);
  if (!is_done(*read)) read->bytes.wait();
  return fine(error);
}

overture_code overture_read_wait_for(overture_read* read, uint64_t timeout_ns,
                                     overture_error* error) {
  if (read == nullptr) return invalid(error, no_read);
  if (is_done(*read) || read->bytes.wait_for(duration_of(timeout_ns))) return fine(error);
  return failed(error, errc::busy, "the read is not done");
}

overture_code overture_read_take(overture_read* read, overture_bytes** bytes,
                                 overture_error* error) {
  if (bytes == nullptr) return invalid(error, "there is no place for the bytes");
  *bytes = nullptr;
  if (read == nullptr) return invalid(error, no_read);
  if (!read->bytes.valid()) return invalid(error, "the bytes are taken already");
  result<blob> taken = read->bytes.take();
  overture_files& files = *read->reads->files;
  if (!taken) {
    const auto* const path = reinterpret_cast<const char*>(read->path.data());
    return failed(error, taken.error(), {path, read->path.size()}, files.tree);
  }
  *bytes = make_bytes(*std::move(taken), files.buffers);
  return *bytes == nullptr ? out_of_memory(error) : fine(error);
}

overture_code overture_read_cancel(overture_read* read, overture_error* error) {
  if (read == nullptr) return invalid(error, no_read);
  read->cancel.cancel(read->reads->queue);
  return fine(error);
}

overture_code overture_read_free(overture_read* read, overture_error* error) {
  if (read == nullptr) return fine(error);
  if (read->done != nullptr && !read->called.load(std::memory_order_acquire)) {
    return failed(error, errc::busy, "the read will be called done: free it then");
  }
  if (!is_done(*read)) {
    read->cancel.cancel(read->reads->queue);
    read->bytes.wait();
  }
  overture_reads* const reads = read->reads;
  drop(read);
  reads->users.remove();
  return fine(error);
}
