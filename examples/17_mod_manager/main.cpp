// SPDX-License-Identifier: Zlib
//
// Swaps mods while the game runs: what they change is loaded again, and nothing else.
//
//   example_17_mod_manager                                  tries the mods in data/
//   example_17_mod_manager FOLDER +ice.zip +orcs -ice.zip
//
// FOLDER has the game in base/, and folders and archives in mods/. '+' puts a mod above all others,
// '-' takes it away. What there is then, and which mods have it, is printed after each step.
#include <set>
#include <thread>
#include <vector>

#include "units.hpp"

using namespace overture;
using namespace overture::literals;
using namespace std::chrono_literals;

namespace {

class mod_manager {
 public:
  mod_manager(file_system& files, const std::filesystem::path& mods)
      : files_(files), folder_(mods) {}

  // In one step: who looks at the tree meanwhile sees it as before or as after. A mod that cannot
  // be mounted changes nothing.
  result<void> change(const std::string& step) {
    const std::string name = step.substr(1);
    const std::string path = (folder_ / name).string();
    const mount_request request{.path = path.c_str()};
    const std::size_t adds = step[0] == '+' ? 1 : 0;
    const std::size_t removes = mods_.count(name);
    if (adds + removes == 0) return fail(errc::not_found, "there is no such mod in the game");
    mount_id mount = removes == 0 ? mount_id{} : mods_[name];
    const auto done = files_.remount({&mount, removes}, {&request, adds}, {&mount, 1});
    if (done && adds == 1) mods_[name] = mount;
    if (done && adds == 0) mods_.erase(name);
    return done;
  }

 private:
  file_system& files_;
  std::filesystem::path folder_;
  std::map<std::string, mount_id> mods_;
};

// Of each unit, the folder or archive that it is from.
std::map<std::string, std::string> winners_in(file_system& files) {
  std::map<std::string, std::string> found;
  (void)files.walk("units"_path, [&](const folder_item& item) {
    found.emplace(item.path, files.mount_of(item.mount).path);
    return true;
  });
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : OVERTURE_EXAMPLE_DATA;
  std::vector<std::string> steps = {"+giants", "+winter", "+giants", "+typo", "+none", "-typo"};
  if (argc > 2) steps.assign(argv + 2, argv + argc);
  file_system files;
  if (!files.mount(folder / "base")) return 1;
  thread_pool jobs = thread_pool::for_this_machine();
  read_queue reads{files};
  loaders::json_loader<unit> loader;
  // A mod is whole when it is mounted, so a reload need not wait for one who writes.
  asset_store store{files, reads, jobs, {.keep_bytes = 0, .reload_delay = 0ms}};
  if (!store.add(loader)) return 1;

  mod_manager mods(files, folder / "mods");
  unit_list units;
  std::map<std::string, std::string> now;
  for (std::size_t step = 0; step <= steps.size(); ++step) {
    std::cout << (step == 0 ? "the game" : steps[step - 1]) << '\n';
    const auto done = step == 0 ? result<void>{} : mods.change(steps[step - 1]);
    if (!done) std::cout << "  " << done.error().reason << '\n';
    const auto before = std::exchange(now, winners_in(files));
    std::erase_if(units, [&](const auto& each) { return !now.contains(each.first); });
    std::set<std::string, std::less<>> loading;
    for (const auto& [path, mount] : now) {
      if (const auto old = before.find(path); old != before.end() && old->second == mount) continue;
      loading.insert(path);
      if (units.contains(path)) store.reload(path);
      units.try_emplace(path, store.get<unit>(path));
    }
    do {  // the game plays on meanwhile, with what it has
      store.pump(4ms);
      (void)store.take_events([&](const asset_event& event) {
        print(store, event);
        loading.erase(std::string(event.path.text));
      });
      std::this_thread::sleep_for(1ms);
    } while (!loading.empty());
    print(files, units);
  }
}
