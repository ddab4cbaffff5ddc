// SPDX-License-Identifier: Zlib
#include "report/model/report_model.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "overture/sync/wait_observer.hpp"
#include "report/words/units.hpp"

namespace overture::report_detail {

namespace {

// "of the time went to ...".
std::string use_of(const report_share& share, bool is_load) {
  if (!share.waiting) return share.name == "other" ? "other work" : share.name;
  if (share.name == idle_reasons::read) return "waiting for reads";
  if (share.name == idle_reasons::solid_block) return "waiting for solid blocks to be unpacked";
  if (share.name == idle_reasons::budget) return "waiting for the memory budget";
  if (share.name == idle_reasons::main_thread) return "waiting for the main thread";
  if (share.name == idle_reasons::nothing_left) return "waiting for the last files";
  if (share.name == idle_reasons::for_workers) return "leaving long files to the workers";
  if (share.name == idle_reasons::to_run) return "waiting to run";
  if (share.name == wait_reasons::no_job) {
    return is_load ? "waiting for the load to begin" : "waiting for jobs";
  }
  return fmt::format("waiting ({})", share.name);
}

}  // namespace

std::string load_time_text(const load_report& what) {
  constexpr std::uint64_t parts = 20;
  const std::uint64_t load_ns = what.summary.ns;
  const bool told = what.mount_ns > (load_ns + what.mount_ns) / parts;
  return told ? fmt::format("{}, and {} to mount", human_time(load_ns), human_time(what.mount_ns))
              : human_time(load_ns);
}

std::string hash_text(const load_report& what) {
  return fmt::format("{:016x}", what.summary.hash);
}

std::string noise_sentence(const load_report& what) {
  constexpr double trusted_share = 0.75;
  std::uint64_t busy_ns = 0;
  std::uint64_t cpu_ns = 0;
  for (const report_thread& thread : what.threads_used) {
    if (!thread.is_worker) continue;
    busy_ns += thread.busy_ns();
    cpu_ns += thread.cpu_ns;
  }
  const double share = static_cast<double>(cpu_ns) / static_cast<double>(std::max(busy_ns, cpu_ns));
  if (cpu_ns == 0 || share >= trusted_share) return {};
  return fmt::format(
      "other programs used the CPU: busy threads ran only {} of the time, so times vary",
      human_percent(share));
}

std::string verdict_sentence(const load_report& what) {
  constexpr std::size_t shares_shown = 3;
  constexpr double shown_min = 0.01;
  const report_verdict& verdict = what.verdict;
  if (what.is_load && what.summary.files + what.summary.failed + what.summary.cancelled == 0) {
    return "nothing to load: the tree has no files";
  }
  if (verdict.worker_ns == 0 || verdict.shares.empty()) return verdict.name;

  std::string sentence = verdict.name + ": ";
  for (std::size_t i = 0; i < verdict.shares.size() && i < shares_shown; ++i) {
    const report_share& share = verdict.shares[i];
    const double part = static_cast<double>(share.ns) / static_cast<double>(verdict.worker_ns);
    if (i > 0 && part < shown_min) break;
    if (i > 0) sentence += ", ";
    sentence += human_percent(part);
    if (i == 0) {
      sentence += what.threads == 1 ? " of the thread's time went"
                                    : fmt::format(" of the {} threads' time went", what.threads);
    }
    sentence += " to " + use_of(share, what.is_load);
  }
  return sentence;
}

}  // namespace overture::report_detail
