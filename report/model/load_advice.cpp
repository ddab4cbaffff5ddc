// SPDX-License-Identifier: Zlib
#include "report/model/load_advice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "overture/sync/wait_observer.hpp"
#include "report/words/printable.hpp"
#include "report/words/units.hpp"

namespace overture::report_detail {

namespace {

constexpr std::size_t sentences_max = 5;
// Less than a tenth of the load, or than a player notices, is not worth a change.
constexpr double share_min = 0.1;
constexpr std::uint64_t ns_min = 50'000'000;
constexpr double deflated_share_min = 0.05;
constexpr std::uint64_t group_part = 5;  // a fifth of its group
constexpr double last_file_share_min = 0.3;
constexpr std::uint64_t loose_files_min = 500;

class adviser {
 public:
  explicit adviser(const load_report& what) : what_(what) {}

  std::vector<advice> all() {
    about_long_sounds();
    about_images();
    about_unpacking();
    about_solid_blocks();
    about_one_file();
    about_slowest_of(what_.long_sounds);
    about_slowest_of(what_.images);
    about_largest();
    about_loose_files();
    std::sort(found_.begin(), found_.end(), [](const advice& a, const advice& b) {
      return std::tie(b.gain_ns, a.sentence) < std::tie(a.gain_ns, b.sentence);
    });
    if (found_.size() > sentences_max) found_.resize(sentences_max);
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::uint64_t stage_ns(load_stage stage) const {
    return what_.summary.stages[static_cast<std::size_t>(stage)].ns;
  }
  [[nodiscard]] double share_of(std::uint64_t ns, std::uint64_t all_ns) const {
    return all_ns == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(all_ns);
  }
  [[nodiscard]] std::uint64_t waiting_ns(const char* reason) const {
    const auto waits = std::ranges::find_if(what_.verdict.shares, [&](const report_share& each) {
      return each.waiting && each.name == reason;
    });
    return waits == what_.verdict.shares.end() ? 0 : waits->ns;
  }
  [[nodiscard]] std::uint64_t part_of_load(double share) const {
    return static_cast<std::uint64_t>(share * static_cast<double>(what_.summary.ns));
  }
  // `ns` is work of threads.
  void add_work(std::uint64_t ns, std::string sentence, std::string path = {}) {
    const double share = share_of(ns, what_.verdict.worker_ns);
    if (ns < ns_min || share < share_min) return;
    found_.push_back({std::move(sentence), part_of_load(share), std::move(path)});
  }

  void about_long_sounds() {
    const report_group& sounds = what_.long_sounds;
    add_work(sounds.decode_ns,
             fmt::format("Stream {} longer than {} s: {} {} of the {} of decode, and {}.",
                         counted(sounds.files, "sound", "sounds"), long_sound_seconds,
                         sounds.files == 1 ? "it takes" : "they take", human_time(sounds.decode_ns),
                         human_time(stage_ns(load_stage::decode)),
                         human_bytes(static_cast<double>(sounds.decoded_bytes))));
  }

  void about_images() {
    const report_group& images = what_.images;
    add_work(images.decode_ns,
             fmt::format("Ship textures as DDS, which is only copied: {} {} of the {} of decode.",
                         counted(images.files, "image takes", "images take"),
                         human_time(images.decode_ns), human_time(stage_ns(load_stage::decode))));
  }

  // Zstandard unpacks three to five times as fast as deflate.
  void about_unpacking() {
    const report_deflated& files = what_.deflated;
    const std::uint64_t saved_ns = files.unpack_ns / 3 * 2;
    const double share = share_of(saved_ns, what_.verdict.worker_ns);
    if (saved_ns < ns_min || share < deflated_share_min) return;
    found_.push_back(
        {fmt::format("Pack with zstd ('overture pack --zstd'), which unpacks three times as fast "
                     "as deflate or faster, or store what is compressed already: to unpack {} "
                     "takes {} of {} of work, and zstd saves two thirds of that.",
                     counted(files.files, "deflated file", "deflated files"),
                     human_time(files.unpack_ns), human_time(what_.verdict.worker_ns)),
         part_of_load(share)});
  }

  // A block is unpacked by one thread, and whoever wants a file of it waits.
  void about_solid_blocks() {
    const std::uint64_t waits_ns =
        waiting_ns(idle_reasons::solid_block) + waiting_ns(idle_reasons::nothing_left);
    for (const report_mount& mount : what_.mounts) {
      if (mount.blocks == 0) continue;
      const std::uint64_t at_once =
          std::min<std::uint64_t>(mount.blocks, std::max(what_.threads, 1u));
      const std::uint64_t wall_ns = std::min(mount.block_ns / at_once, what_.summary.ns);
      const std::uint64_t both_ns = wall_ns + mount.mount_ns;
      const double share = share_of(both_ns, what_.summary.ns + what_.mount_ns);
      if (both_ns < ns_min || share < share_min) continue;
      const double of_threads =
          std::min(1.0, share_of(mount.block_ns + waits_ns, what_.verdict.worker_ns));
      found_.push_back(
          {fmt::format(
               "Unpack {} ('overture extract') or make a ZIP of it ('overture pack --zstd'): "
               "it is {}, and to read it takes {}{}.",
               printable(mount.path),
               mount.blocks == 1 ? "one solid block"
                                 : fmt::format("{} solid blocks", grouped(mount.blocks)),
               human_time(mount.block_ns),
               mount.mount_ns < ns_min
                   ? ""
                   : fmt::format(", and to mount it {}", human_time(mount.mount_ns))),
           std::min(wall_ns, part_of_load(of_threads))});
    }
  }

  // The other threads wait for it in the end.
  void about_one_file() {
    if (what_.slowest.empty() || what_.threads < 2) return;
    const report_file& file = what_.slowest.front();
    const std::uint64_t ns = file.total_ns();
    const double share = share_of(ns, what_.summary.ns);
    // Split over all threads, it takes as much less as they wait now.
    const double gain = share_of(waiting_ns(idle_reasons::nothing_left), what_.verdict.worker_ns);
    if (ns < ns_min || share < last_file_share_min || gain < share_min) return;
    found_.push_back(
        {fmt::format("Shrink or split {}: it alone takes {} of the {} of the load, and the other "
                     "threads wait for it{}.",
                     name_of(file.path), human_time(ns), human_time(what_.summary.ns),
                     over_budget(file.path)),
         part_of_load(gain), file.path});
  }

  // "; it needs 269 MiB at once, which went over the budget of 256 MiB"
  [[nodiscard]] std::string over_budget(const std::string& path) const {
    const report_need& largest = what_.largest;
    const load_summary& summary = what_.summary;
    const bool is_over = what_.budget_bytes > 0 && summary.in_flight_bytes_max > what_.budget_bytes;
    const std::uint64_t blocks =
        summary.in_flight_by_module[static_cast<std::size_t>(memory_tag::vfs)];
    // A decoder may take more than it makes.
    const bool is_cause = largest.total() > what_.budget_bytes / 2 && largest.total() > blocks;
    if (!is_over || !is_cause || path != largest.path) return {};
    return fmt::format("; it needs {} at once, which went over the budget of {}",
                       human_bytes(static_cast<double>(largest.total())),
                       human_bytes(static_cast<double>(what_.budget_bytes)));
  }
  [[nodiscard]] bool is_named(const std::string& path) const {
    return std::ranges::find(found_, path, &advice::path) != found_.end();
  }
  // With what it is, if that is known.
  [[nodiscard]] std::string name_of(const std::string& path) const {
    const auto file = std::ranges::find(what_.slowest, path, &report_file::path);
    const std::string content = file == what_.slowest.end() ? "" : content_of(*file);
    return content.empty() ? printable(path) : fmt::format("{} ({})", printable(path), content);
  }

  // The sum of its group hides it.
  void about_slowest_of(const report_group& group) {
    if (group.slowest_ns * group_part < group.decode_ns || is_named(group.slowest)) return;
    add_work(group.slowest_ns,
             fmt::format("Shrink or split {}: it alone takes {} of the {} of decode{}.",
                         name_of(group.slowest), human_time(group.slowest_ns),
                         human_time(stage_ns(load_stage::decode)), over_budget(group.slowest)),
             group.slowest);
  }

  // However fast it is, others wait until it has gone.
  void about_largest() {
    const std::string& path = what_.largest.path;
    const std::string over = over_budget(path);
    if (over.empty() || is_named(path)) return;
    const auto file = std::ranges::find(what_.slowest, path, &report_file::path);
    const std::uint64_t ns =
        (file == what_.slowest.end() ? 0 : file->total_ns()) + waiting_ns(idle_reasons::budget);
    found_.push_back({fmt::format("Shrink or split {}{}.", name_of(path), over),
                      part_of_load(std::min(1.0, share_of(ns, what_.verdict.worker_ns))), path});
  }

  void about_loose_files() {
    std::uint64_t loose = 0;
    const report_mount* most = nullptr;
    for (const report_mount& mount : what_.mounts) {
      if (mount.format != to_string(mount_format::folder)) continue;
      loose += mount.files;
      if (!most || mount.files > most->files) most = &mount;
    }
    const std::uint64_t ns = stage_ns(load_stage::resolve) + waiting_ns(idle_reasons::read);
    if (loose < loose_files_min) return;
    add_work(
        ns,
        fmt::format("Pack the {} loose files{} into one archive ('overture pack'): opening them "
                    "and waiting for the disk takes {} of the {} of the threads{}.",
                    grouped(loose), most->files == loose ? " of " + printable(most->path) : "",
                    human_time(ns), human_time(what_.verdict.worker_ns),
                    most->files == loose ? ""
                                         : fmt::format("; {} has {} of them", printable(most->path),
                                                       grouped(most->files))));
  }

  const load_report& what_;
  std::vector<advice> found_;
};

}  // namespace

std::vector<advice> load_advice(const load_report& what) {
  return what.interrupted ? std::vector<advice>() : adviser(what).all();
}

std::vector<std::string> sentences_of(const std::vector<advice>& list) {
  std::vector<std::string> sentences;
  sentences.reserve(list.size());
  for (const advice& each : list) {
    sentences.push_back(
        fmt::format("Up to {} of the load: {}", human_time(each.gain_ns), each.sentence));
  }
  return sentences;
}

std::string content_of(const report_file& file) {
  if (file.sample_rate > 0) {
    const std::uint64_t seconds = file.sound_frames / file.sample_rate;
    return fmt::format("{}:{:02}, {:.1f} kHz", seconds / 60, seconds % 60,
                       static_cast<double>(file.sample_rate) / 1000);
  }
  return file.width > 0 ? fmt::format("{} x {}", file.width, file.height) : "";
}

}  // namespace overture::report_detail
