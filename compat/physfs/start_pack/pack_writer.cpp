// SPDX-License-Identifier: Zlib
#include "start_pack/pack_writer.hpp"

#include <libdeflate.h>

#include <cstring>

#include "overture/io/unpack.hpp"

namespace overture::start_pack {
using namespace base_detail;

namespace {

constexpr std::size_t worth_packing_bytes = 4096;
constexpr int level = 6;

template <class Number>
void put(std::byte*& at, Number value) noexcept {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    *at++ = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
}

tl::unexpected<error> no_memory() noexcept {
  return fail(errc::out_of_memory, "out of memory for the start pack");
}

}  // namespace

pack_writer::pack_writer(operating_system& os, os_handle file, allocator& memory) noexcept
    : os_(os),
      file_(file),
      records_(memory, memory_tag::vfs),
      texts_(memory, memory_tag::vfs),
      room_(memory, memory_tag::vfs) {}

pack_writer::~pack_writer() {
  if (compressor_) libdeflate_free_compressor(compressor_);
}

result<void> pack_writer::add(std::string_view path, std::string_view name, const identity& real,
                              std::span<const std::byte> bytes) noexcept {
  if (bytes.size() > entry_bytes_max) return fail(errc::limit, "the file exceeds 64 MiB");
  const std::span<const std::byte> half = packed(bytes);
  const std::span<const std::byte> data = half.empty() ? bytes : half;
  std::byte record[record_bytes];
  std::byte* at = record;
  put(at, real.number);
  put(at, real.size);
  put(at, real.mtime_ns);
  put(at, real.ctime_ns);
  put(at, std::uint64_t{bytes.size()});
  put(at, std::uint64_t{data.size()});
  put(at, crc32(data));
  put(at, half.empty() ? method::stored : method::deflate);
  put(at, static_cast<std::uint32_t>(path.size()));
  put(at, static_cast<std::uint32_t>(name.size()));
  if (records_.size() + texts_.size() + sizeof record + path.size() + name.size() >
      index_bytes_max) {
    return fail(errc::limit, "the start pack's index exceeds 64 MiB");
  }
  if (result<void> done = write_fully(os_, file_, end_, data); !done) return done;
  const std::size_t texts = texts_.size();
  if (!texts_.append(path.data(), path.size()) || !texts_.append(name.data(), name.size()) ||
      !records_.append(record, sizeof record)) {
    (void)texts_.resize(texts);
    return no_memory();
  }
  end_ += data.size();
  ++count_;
  return {};
}

result<void> pack_writer::finish(std::string_view program) noexcept {
  vec<std::byte> index(records_.memory(), memory_tag::vfs);
  if (!index.append(records_.data(), records_.size()) ||
      !index.append(program.data(), program.size()) ||
      !index.append(texts_.data(), texts_.size())) {
    return no_memory();
  }
  if (result<void> done = write_fully(os_, file_, end_, index.span()); !done) return done;
  std::byte header[header_bytes];
  std::memcpy(header, magic.data(), magic.size());
  std::byte* at = header + magic.size();
  put(at, end_);
  put(at, std::uint64_t{index.size()});
  put(at, count_);
  put(at, static_cast<std::uint32_t>(program.size()));
  put(at, crc32(index.span()));
  put(at, crc32({header, at}));
  return write_fully(os_, file_, 0, header);
}

// The bytes packed, or nothing if that does not halve them.
std::span<const std::byte> pack_writer::packed(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < worth_packing_bytes) return {};
  if (!compressor_) compressor_ = libdeflate_alloc_compressor(level);
  if (!compressor_ || !room_.resize_for_overwrite(bytes.size() / 2)) return {};
  const std::size_t size = libdeflate_deflate_compress(compressor_, bytes.data(), bytes.size(),
                                                       room_.data(), room_.size());
  return {room_.data(), size};
}

}  // namespace overture::start_pack
