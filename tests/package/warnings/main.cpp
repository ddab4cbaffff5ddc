// SPDX-License-Identifier: Zlib
//
// A small game, as many write it. Given a folder, it loads a text of it.
// clang-format off: the macros come first.
#include "windows_macros.hpp"

#include <overture/overture.hpp>
#include <overture/streams/file_istream.hpp>
// clang-format on

#include <chrono>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace overture;
using namespace overture::literals;
using namespace std::chrono_literals;

namespace {

struct text_asset {
  std::string text;
  std::optional<decoded_asset> decoded;
};

class text_loader final : public loader<text_asset> {
 public:
  result<text_asset> decode(std::span<const std::byte> bytes, load_context& context) override {
    text_asset made{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), {}};
    for (const decoder* each : all_decoders()) {
      if (!each->accepts(context.path().text, bytes)) continue;
      result<decoded_asset> decoded = each->decode(bytes, default_allocator());
      if (!decoded) return tl::unexpected(decoded.error());
      made.decoded = std::move(*decoded);
      break;
    }
    return made;
  }
  std::uint64_t bytes_of(const text_asset& made) const noexcept override {
    return made.text.size();
  }
};

struct header {
  std::uint32_t magic;
  float scale;
};

class header_loader final : public loader<header> {
 public:
  result<header> decode(std::span<const std::byte> bytes, load_context&) override {
    header made;
    if (bytes.size() < sizeof made) return fail(errc::truncated, "no header");
    std::memcpy(&made, bytes.data(), sizeof made);
    return made;
  }
  bool free_threaded() const noexcept override { return true; }
};

struct room {
  std::vector<asset<text_asset>> texts;
  asset<room> next;
  soft_asset<room> behind;
};

class room_loader final : public loader<room> {
 public:
  result<room> decode(std::span<const std::byte> bytes, load_context& context) override {
    if (bytes.empty()) return fail(errc::corrupt, "an empty room");
    room made;
    made.texts.push_back(context.need<text_asset>("README.md"));
    if (bytes.size() > 100'000) made.next = context.want<room>(context.path());
    made.behind = context.name<room>(context.path());
    return made;
  }
  bool dependent() const noexcept override { return true; }
};

co_task<result<std::size_t>> size_of(asset<text_asset> awaited) {
  if (auto loaded = co_await awaited; !loaded) co_return tl::unexpected(loaded.error());
  co_return awaited->text.size();
}

result<std::string> read(file_system& files, buffer_pool& buffers) {
  result<blob> bytes = files.read_all("CMakeLists.txt"_path, buffers);
  if (!bytes) return tl::unexpected(bytes.error());
  return std::string(reinterpret_cast<const char*>(bytes->span().data()), bytes->size());
}

int failed(const char* what, const error& why) {
  std::fprintf(stderr, "%s: %s\n", what, why.reason);
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  file_system files;
  if (auto mounted = files.mount(arguments[1]); !mounted) return failed("mount", mounted.error());
  thread_pool jobs{{.workers = 2}};
  read_queue reads{files};
  text_loader texts;
  header_loader headers;
  room_loader rooms;
  asset_store store{files, reads, jobs};
  if (!store.add(texts) || !store.add(headers) || !store.add(rooms)) return 3;

  std::map<std::string, asset<text_asset>> all;
  all["text"] = store.get<text_asset>("CMakeLists.txt"_path, asset_priority::high);
  const asset<text_asset>& text = all["text"];
  while (!store.wait_for(text, 10s)) {
  }
  if (!text.is_ready()) return failed("CMakeLists.txt", text.status().error());
  auto size = spawn(jobs, size_of(text));
  if (!size) return failed("spawn", size.error());
  while (!size->is_ready()) store.pump(1ms);
  buffer_pool buffers;
  const result<std::string> again = read(files, buffers);
  if (!again) return failed("read", again.error());
  file_istream stream(files, "CMakeLists.txt"_path);
  if (std::string{std::istreambuf_iterator<char>(stream), {}} != *again) return 5;
  return size->get().value_or(0) == again->size() ? 0 : 4;
}
