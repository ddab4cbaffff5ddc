// SPDX-License-Identifier: Zlib
//
// Loads a folder and writes the page of it.
#include <overture/overture.hpp>
#include <overture/report/write_report.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

class page_text final : public overture::text_sink {
 public:
  overture::result<void> write(std::string_view part) override {
    page += part;
    return {};
  }
  std::string page;
};

}  // namespace

int main(int count, char** arguments) {
  using namespace overture;
  if (count != 2) return 2;
  timeline record;
  if (!record.attach_thread("main")) return 3;
  file_system files;
  if (!files.mount(arguments[1]) || !files.freeze()) return 4;
  thread_pool jobs{{.workers = 1, .record = &record}};
  read_queue reads{files, {.threads = 1, .record = &record}};
  load_scope scope{files, reads, jobs};
  if (!scope.start()) return 5;
  while (!scope.wait_for(std::chrono::milliseconds(100))) {
  }
  page_text sink;
  if (!write_report(sink, record, files, scope)) return 6;
  std::printf("a page of %zu bytes\n", sink.page.size());
  return sink.page.find("CMakeLists.txt") == std::string::npos ? 1 : 0;
}
