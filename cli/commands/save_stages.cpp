// SPDX-License-Identifier: Zlib
#include "commands/save_stages.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <string_view>

#include "overture/overture.hpp"
#include "system/system.hpp"

namespace overture::cli {

namespace {

enum class arm : std::uint8_t { foot, horse, guns, ships };
constexpr auto names(text::of<arm> /*type*/) {
  return text::name_list(text::name("foot", arm::foot), text::name("horse", arm::horse),
                         text::name("guns", arm::guns), text::name("ships", arm::ships));
}

struct unit {
  std::uint32_t id = 0;
  bool enabled = false;
  arm kind = arm::foot;
  float speed = 0;
  std::int32_t gold = 0;
  char title[8] = {};
  std::array<float, 2> at = {};
  friend bool operator==(const unit& a, const unit& b) {
    return a.id == b.id && a.enabled == b.enabled && a.kind == b.kind && a.speed == b.speed &&
           a.gold == b.gold && std::strncmp(a.title, b.title, sizeof a.title) == 0 && a.at == b.at;
  }
};
constexpr auto fields(text::of<unit> /*type*/) {
  return text::field_list(text::field("id", &unit::id), text::field("enabled", &unit::enabled),
                          text::field("kind", &unit::kind), text::field("speed", &unit::speed),
                          text::field("gold", &unit::gold), text::field("title", &unit::title),
                          text::field("at", &unit::at));
}
using save_style = text::script<"unit">;
using units = paged<unit>;

constexpr std::uint32_t version = 1;
constexpr const char* section = "units";
constexpr std::uint64_t counted_stages = 4;  // write, store, verify, parse

unit random_unit(std::uint32_t id, std::mt19937& random) {
  constexpr std::array<std::string_view, 4> titles = {"Varus", "Drusus", "Galba", "Nero"};
  unit made;
  made.id = id;
  const auto bits = static_cast<std::uint32_t>(random());
  made.enabled = bits % 2 == 0;
  made.kind = static_cast<arm>(bits / 2 % 4);
  made.speed = static_cast<float>(bits / 8 % 100'000) / 100;
  made.gold = static_cast<std::int32_t>(bits % 200'001) - 100'000;
  const std::string_view title = titles[bits / 64 % 4];
  std::memcpy(made.title, title.data(), title.size());
  made.at = {static_cast<float>(random()) / 1e6f, static_cast<float>(random()) / 1e6f};
  return made;
}

result<void> make_units(units& into, std::size_t count) {
  std::mt19937 random(1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto added = into.add(random_unit(static_cast<std::uint32_t>(i), random));
    if (!added) return tl::unexpected(added.error());
  }
  return {};
}

bool same_units(job_system& jobs, const units& a, const units& b) {
  if (a.page_count() != b.page_count()) return false;
  atomic<bool> differ{false};
  parallel_for(jobs, 0, a.page_count(), [&](std::size_t i) {
    std::array<const unit*, units::page_size> theirs = {};
    std::size_t count = 0;
    b.page_at(i).for_each([&](const unit& each) { theirs[count++] = &each; });
    std::size_t at = 0;
    a.page_at(i).for_each([&](const unit& each) {
      if (at >= count || !(each == *theirs[at])) differ.store(true, std::memory_order_relaxed);
      ++at;
    });
    if (at != count) differ.store(true, std::memory_order_relaxed);
  });
  return !differ.load(std::memory_order_relaxed);
}

struct file_bytes {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
};
result<file_bytes> fetch(const std::string& path) {
  operating_system& os = system_os();
  const auto file = os.open(path.c_str());
  if (!file) return tl::unexpected(file.error());
  const auto read = [&]() -> result<file_bytes> {
    const auto status = os.status(*file);
    if (!status) return tl::unexpected(status.error());
    file_bytes whole{std::unique_ptr<char[]>(new (std::nothrow) char[status->size + 1]),
                     static_cast<std::size_t>(status->size)};
    if (!whole.bytes) return fail(errc::out_of_memory, "out of memory for the save");
    const std::span<char> room(whole.bytes.get(), whole.size);
    const auto done = read_fully(os, *file, 0, std::as_writable_bytes(room));
    if (!done) return tl::unexpected(done.error());
    return whole;
  };
  auto whole = read();
  os.close(*file);
  return whole;
}

// Times stages and shows which one runs.
class stage_clock {
 public:
  stage_clock(save_times& times, save_position& position) : times_(times), position_(position) {}

  template <class Body>
  [[nodiscard]] result<void> run(save_stage stage, Body body) {
    position_.stage.store(static_cast<unsigned>(stage), std::memory_order_relaxed);
    const std::uint64_t begin_ns = now_ns();
    const auto done = body();
    times_.ns[static_cast<std::size_t>(stage)] = now_ns() - begin_ns;
    if (!done) return tl::unexpected(done.error());
    return {};
  }

 private:
  save_times& times_;
  save_position& position_;
};

result<void> load_and_compare(job_system& jobs, const units& army, const std::string& path,
                              save_position& position, stage_clock& clock) {
  file_bytes file;
  text::save_file save;
  units back;
  auto done = clock.run(save_stage::fetch, [&]() -> result<void> {
    auto whole = fetch(path);
    if (!whole) return tl::unexpected(whole.error());
    file = std::move(*whole);
    return {};
  });
  if (done) {
    done = clock.run(save_stage::verify, [&] {
      return save.load_bytes(
          {file.bytes.get(), file.size},
          {.version = version, .jobs = &jobs, .pages_done = &position.pages_done});
    });
  }
  if (done) {
    done = clock.run(save_stage::parse, [&] { return save.read<save_style>(jobs, section, back); });
  }
  if (done) {
    done = clock.run(save_stage::compare, [&]() -> result<void> {
      if (same_units(jobs, army, back)) return {};
      return fail(errc::corrupt, "the loaded objects differ from the saved ones");
    });
  }
  return done;
}

}  // namespace

result<save_times> run_save_stages(job_system& jobs, std::size_t objects, const save_target& to,
                                   save_position& position) {
  save_times times;
  stage_clock clock(times, position);
  units army;
  auto done = clock.run(save_stage::make, [&] { return make_units(army, objects); });
  times.objects = objects;
  times.pages = army.page_count();
  position.pages_total.store(times.pages * counted_stages + 1, std::memory_order_relaxed);
  {
    text::save_writer out{version, default_allocator(), &position.pages_done};
    if (done) {
      done = clock.run(save_stage::write, [&] { return out.add<save_style>(jobs, section, army); });
    }
    if (done) {
      done = clock.run(save_stage::store, [&]() -> result<void> {
        if (interrupted()) return fail(errc::cancelled, "interrupted");
        file_replacement file;
        if (auto begun = file.begin(system_os(), to.path.c_str(), to.how); !begun) return begun;
        const auto bytes = out.write(system_os(), file.file());
        if (!bytes) return tl::unexpected(bytes.error());
        times.bytes = *bytes;
        return to.old->commit(file);
      });
    }
  }
  if (done) done = load_and_compare(jobs, army, to.path, position, clock);
  if (!done) return tl::unexpected(done.error());
  return times;
}

}  // namespace overture::cli
