// SPDX-License-Identifier: Zlib
//
// The places of io, vfs and load.
#include <chrono>
#include <filesystem>
#include <fstream>

#include "host.hpp"

namespace host {
namespace {

// A folder of two files and a removal marker.
class game {
 public:
  game() {
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/a.txt") << "first";
    std::ofstream(folder + "/b.txt") << "second";
    std::ofstream(folder + "/.wh.c.txt") << "";
    CHECK(files.mount(folder.c_str(), {.removal_markers = true}).has_value());
  }
  ~game() { std::filesystem::remove_all(folder); }
  game(const game&) = delete;
  game& operator=(const game&) = delete;

  const std::string folder = "throws_game";
  file_system files;
};

struct one_read {
  explicit one_read(file_system& files) : file(*files.open("a.txt"_path)) {
    request.source = file.place().source;
    request.destination = bytes;
    request.done = {[](void*) { fail_now(); }, nullptr};
    request.counter = &counter;
  }
  opened_file file;
  std::array<std::byte, 5> bytes{};
  countdown counter{1};
  read_request request;
};

void completions() {
  game of;
  for (const unsigned workers : {0u, 1u}) {
    listener heard;
    {
      thread_pool pool{{.workers = workers, .hooks = heard.hooks()}};
      one_read on_pool(of.files);
      one_read in_group(of.files);
      job_group group{pool};
      on_pool.request.on = &pool;
      in_group.request.on = &group;
      {
        read_queue reads{of.files, {.threads = 1}};
        reads.submit({&on_pool.request, 1});
        reads.submit({&in_group.request, 1});
        reads.wait(on_pool.counter);
        reads.wait(in_group.counter);
        CHECK(on_pool.request.outcome.has_value());
      }
    }
    heard.check_heard(2);
  }
  // Without an executor, inside poll().
  one_read polled(of.files);
  read_queue reads{of.files, {.run_by_host = true}};
  reads.submit({&polled.request, 1});
  reads.drain();
  CHECK(reads.stats().thrown == (throws ? 1u : 0u));
}

void sinks() {
  class broken_sink final : public asset_sink {
   public:
    explicit broken_sink(bool on_one) : on_one_(on_one) {}
    result<void> finalize(entry_index entry, decoded_asset&, std::span<const std::byte>) override {
      if (entry == 0) fail_now();
      return {};
    }
    [[nodiscard]] bool one_thread() const noexcept override { return on_one_; }

   private:
    bool on_one_;
  };
  game of;
  CHECK(of.files.freeze().has_value());
  for (const bool on_one : {false, true}) {
    broken_sink sink(on_one);
    thread_pool pool{{.workers = 1}};
    read_queue reads{of.files};
    load_scope scope{of.files, reads, pool, {.sink = &sink}};
    CHECK_THREW(scope.start([](const entry_info&) {
      fail_now();
      return load_priority::normal;
    }));
    // Without exceptions it has started.
    if (throws) CHECK(scope.start().has_value());
    while (!scope.wait_for(std::chrono::milliseconds(10))) {
    }
    CHECK(scope.summary().failed == (throws ? 1u : 0u));
    CHECK(scope.summary().files == (throws ? 1u : 2u));
    CHECK_THREW(scope.for_each_file([](const loaded_file&) { fail_now(); }));
  }
}

bool broken_visitor(const folder_item&) {
  fail_now();
  return true;
}
void folders() {
  game of;
  const auto visit = [](const folder_item& item) { return broken_visitor(item); };
  CHECK_THREW(of.files.enumerate(asset_path{}, visit));
  CHECK_THREW(of.files.walk(asset_path{}, visit));
  CHECK_THREW(of.files.removals(visit));
  CHECK(of.files.freeze().has_value());
  CHECK_THREW(of.files.walk(asset_path{}, visit));
}

void changes() {
  game of;
  auto watch = file_watch::open(of.files);
  if (!watch) return;  // not on this system
  CHECK(watch->add(of.files.mount_at(0).id).has_value());
  std::ofstream(of.folder + "/a.txt") << "changed";
  int seen = 0;
  const auto polled = watch->poll([&](const file_change&) {
    ++seen;
    fail_now();
  });
  CHECK(seen > 0);
  CHECK_THREW(polled);
}

void comments() {
  const char* const path = "throws.zip";
  const auto write = [](os_handle file) -> result<void> {
    zip_builder zip(system_os(), file);
    return zip.begin({.name = "a", .comment = "comment"})
        .and_then([&] { return zip.end(0); })
        .and_then([&] { return zip.finish(); });
  };
  CHECK(replace_file(system_os(), path, write).has_value());
  CHECK_THREW(visit_zip_comments(path, [](std::string_view, std::string_view) { fail_now(); }));
  std::filesystem::remove(path);
}

}  // namespace

const std::vector<place> places_of_files = {
    {"read_request::done", completions}, {"asset_sink::finalize", sinks},
    {"load_scope::start", sinks},        {"load_scope::for_each_file", sinks},
    {"file_system::enumerate", folders}, {"file_system::walk", folders},
    {"file_system::removals", folders},  {"file_watch::poll", changes},
    {"visit_zip_comments", comments},
};

}  // namespace host
