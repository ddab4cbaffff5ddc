// SPDX-License-Identifier: Zlib
//
// Mounting archives that are files of the tree.
#include <algorithm>
#include <utility>

#include "base/vec.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {
using namespace base_detail;

namespace {

// What a mounted archive is read from.
class inner_archive {
 public:
  explicit inner_archive(allocator& memory) noexcept : memory_(memory) {}
  ~inner_archive() {
    memory_.deallocate(data_, size_, alignment, memory_tag::vfs);
    if (ledger_) ledger_->give_back(room_, memory_tag::vfs);
  }
  inner_archive(const inner_archive&) = delete;
  inner_archive& operator=(const inner_archive&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

  result<void> read(file_system& files, asset_path path) noexcept {
    result<file_reader> reader = file_reader::open(files, path, {.memory = &memory_});
    if (!reader) return tl::unexpected(reader.error());
    const std::uint64_t size = reader->size();
    if (result<void> room = take_room(files.ledger(), size); !room) return room;
    if (size > 0) {
      data_ = static_cast<std::byte*>(memory_.allocate(size, alignment, memory_tag::vfs));
      if (!data_)
        return fail(errc::out_of_memory, "out of memory for the archive inside", {}, size);
    }
    size_ = size;
    for (std::uint64_t made = 0; made < size;) {
      const result<std::size_t> more = reader->read(std::span(data_, size_).subspan(made));
      if (!more) return tl::unexpected(more.error());
      if (*more == 0) return fail(errc::truncated, "the archive inside ends early", {}, made);
      made += *more;
    }
    return {};
  }

  // When the mount is gone.
  static void end(void* self) noexcept {
    auto* const one = static_cast<inner_archive*>(self);
    const mount_release then = one->then;
    destroy_object(one->memory_, memory_tag::vfs, one);
    if (then.call) then.call(then.context);
  }

  mount_release then = {};  // the caller's

 private:
  static constexpr std::size_t alignment = 64;

  // A mount stays, so it must not have the ticket with which one item at a time may go past the
  // limit.
  result<void> take_room(memory_ledger* ledger, std::uint64_t bytes) noexcept {
    if (!ledger) return {};
    bool ticket = false;
    const bool taken = ledger->take_now(bytes, memory_tag::vfs, ticket).has_value();
    if (taken && !ticket) {
      ledger_ = ledger;
      room_ = bytes;
      return {};
    }
    if (taken) ledger->give_back(bytes, memory_tag::vfs);
    ledger->end_item(ticket);
    return fail(errc::limit,
                "the archive inside needs more than the memory budget has left; unpack it first");
  }

  allocator& memory_;
  memory_ledger* ledger_ = nullptr;
  std::uint64_t room_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

result<mount_id> file_system::mount_inside(asset_path archive,
                                           const mount_options& options) noexcept {
  if (frozen()) return refuse_change();
  allocator& memory = *config_.memory;
  auto* const inner = make_object<inner_archive>(memory, memory_tag::vfs, memory);
  if (!inner) return fail(errc::out_of_memory, "out of memory for the archive inside");
  path_buffer name;
  const std::size_t length = archive.text.copy(name.data(), name.size() - 1);
  name[length] = '\0';
  inner->then = options.release;
  mount_options own = options;
  own.release = {inner_archive::end, inner};
  result<mount_id> mounted;
  const result<void> read = inner->read(*this, archive);
  mounted = read ? mount_memory(name.data(), inner->bytes(), own)
                 : result<mount_id>(tl::unexpected(read.error()));
  if (!mounted) destroy_object(memory, memory_tag::vfs, inner);
  return mounted;
}

}  // namespace overture
