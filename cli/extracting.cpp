#include "extracting.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <thread>

#include "display.hpp"
#include "exit_code.hpp"
#include "messages.hpp"
#include "overture/base/atomic.hpp"
#include "progress.hpp"
#include "progress_line.hpp"
#include "system.hpp"

namespace overture::cli {

namespace {

class extractor {
 public:
  extractor(file_system& files, const std::vector<std::string>& paths, const extraction& how,
            const outputs& out)
      : files_(files),
        reads_(files, {.run_by_host = true}),
        paths_(paths),
        how_(how),
        reasons_(paths.size()),
        line_(how.progress, out.environment()) {}

  extracted run(job_system& jobs) {
    parallel_for(
        jobs, 0, paths_.size(),
        [this](std::size_t i) {
          if (interrupted()) return;
          reasons_[i] = extract(paths_[i]);
          if (!reasons_[i].empty()) raise_status(exit_files_failed);
          files_done_.fetch_add(1);
          if (on_main_thread()) show_progress();
        },
        1);
    extracted outcome;
    outcome.bytes = bytes_done_.load();
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (reasons_[i].empty()) continue;
      ++outcome.failed;
      outcome.failures.push_back(
          fmt::format("{}: {}", printable(paths_[i]), printable(reasons_[i])));
    }
    outcome.files = files_done_.load() - outcome.failed;
    outcome.status = status_.load();
    return outcome;
  }

 private:
  // Returns why it failed, or an empty string.
  std::string extract(const std::string& path) {
    const result<blob> bytes = files_.read_all({path, {hash64(path)}}, buffers_, reads_);
    if (!bytes) {
      raise_status(exit_for(bytes.error().code, exit_files_failed));
      return reason_of(bytes.error());
    }
    const int os_error = how_.to->write(path.substr(how_.above), bytes->span(), how_.overwrite);
    if (os_error == ELOOP) return "a link is in the way and is not followed; remove it";
    if (os_error == EEXIST) return "file exists; replace it with --overwrite";
    if (os_error != 0) return fmt::format("cannot write ({})", system_message(os_error));
    bytes_done_.fetch_add(bytes->size());
    return {};
  }

  void raise_status(int status) {
    int known = status_.load();
    while (known < status && !status_.compare_exchange_weak(known, status)) {
    }
  }

  [[nodiscard]] bool on_main_thread() const { return std::this_thread::get_id() == main_; }

  void show_progress() {
    const std::uint64_t elapsed_ns = now_ns() - begin_ns_;
    if (!line_.shown() || !meter_.due(elapsed_ns)) return;
    load_progress now;
    now.files_done = files_done_.load();
    now.files_total = paths_.size();
    now.bytes_done = bytes_done_.load();
    now.fraction = static_cast<double>(now.files_done) / static_cast<double>(now.files_total);
    line_.paint(meter_.update(now, elapsed_ns));
  }

  file_system& files_;
  read_queue reads_;  // no threads: whoever waits for a file reads it
  const std::vector<std::string>& paths_;
  const extraction& how_;
  buffer_pool buffers_;
  std::vector<std::string> reasons_;  // parallel to paths_; each written by one thread
  atomic<std::uint64_t> files_done_{0};
  atomic<std::uint64_t> bytes_done_{0};
  atomic<int> status_{exit_ok};
  const std::thread::id main_ = std::this_thread::get_id();
  const std::uint64_t begin_ns_ = now_ns();
  progress_meter meter_;
  progress_line line_;
};

}  // namespace

extracted extract_files(file_system& files, const std::vector<std::string>& paths,
                        const extraction& how, job_system& jobs, const outputs& out) {
  return extractor(files, paths, how, out).run(jobs);
}

}  // namespace overture::cli
