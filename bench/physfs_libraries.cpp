// SPDX-License-Identifier: Zlib
#include <dlfcn.h>

#include <stdexcept>
#include <utility>

#include "physfs_parts.hpp"

namespace bench {
namespace {

template <class F>
void find(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  if (!function) throw std::runtime_error(dlerror());
}

const physfs_library* named(const physfs_libraries& libraries, const std::string& name) {
  for (const physfs_library& each : libraries) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace

physfs_library::physfs_library(std::string called, const std::string& path)
    : name(std::move(called)) {
  // This program does not link PhysicsFS, so the functions of each library find only each other.
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  find(handle, "PHYSFS_init", init);
  find(handle, "PHYSFS_deinit", deinit);
  find(handle, "PHYSFS_mount", mount);
  find(handle, "PHYSFS_unmount", unmount);
  find(handle, "PHYSFS_exists", exists);
  find(handle, "PHYSFS_stat", stat);
  find(handle, "PHYSFS_enumerate", enumerate);
  find(handle, "PHYSFS_openRead", openRead);
  find(handle, "PHYSFS_close", close);
  find(handle, "PHYSFS_readBytes", readBytes);
  find(handle, "PHYSFS_seek", seek);
  find(handle, "PHYSFS_tell", tell);
  find(handle, "PHYSFS_eof", eof);
  find(handle, "PHYSFS_fileLength", fileLength);
  find(handle, "PHYSFS_setBuffer", setBuffer);
  find(handle, "PHYSFS_getLastErrorCode", getLastErrorCode);
  find(handle, "PHYSFS_getErrorByCode", getErrorByCode);
}

void physfs_library::must(bool succeeded, const std::string& what) const {
  if (succeeded) return;
  const char* const error = getErrorByCode(getLastErrorCode());
  throw std::runtime_error(name + " cannot " + what + ": " + (error ? error : "no error"));
}

physfs_session::physfs_session(const physfs_library& library,
                               const std::vector<std::string>& mounts)
    : library_(&library) {
  library.must(library.init("bench_physfs") != 0, "begin");
  for (const std::string& mount : mounts) {
    library.must(library.mount(mount.c_str(), nullptr, 0) != 0, "mount " + mount);
  }
}

physfs_session::~physfs_session() {
  if (library_) library_->deinit();
}

std::vector<physfs_session> sessions_of(const physfs_libraries& libraries,
                                        const std::vector<std::string>& mounts) {
  std::vector<physfs_session> sessions;
  sessions.reserve(libraries.size());
  for (const physfs_library& library : libraries) sessions.emplace_back(library, mounts);
  return sessions;
}

void report(results& out, const physfs_libraries& libraries, const physfs_work& work,
            const std::vector<std::vector<double>>& ns) {
  const physfs_library* const ours = named(libraries, "ours");
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    const std::string& name = libraries[i].name;
    out.metric(work.name + ", " + name + ", ns", spread_of(ns[i]).median);
    if (!ours || &libraries[i] == ours) continue;
    const auto& ours_ns = ns[static_cast<std::size_t>(ours - libraries.data())];
    out.goal(work.name + ": x faster than " + name, ratio(ns[i], ours_ns),
             name == "system" ? work.over_system : work.over_main, false);
  }
}

void compare(results& out, int rounds, const physfs_libraries& libraries, const physfs_work& work,
             const std::function<void(const physfs_library&)>& run,
             const std::function<void(const physfs_library&)>& after) {
  std::vector<variant> variants;
  for (const physfs_library& library : libraries) {
    variants.push_back({library.name, [&] { run(library); },
                        [&] {
                          if (after) after(library);
                        }});
  }
  interleave(variants, rounds, work.name);
  std::vector<std::vector<double>> ns;
  for (const variant& each : variants) {
    std::vector<double>& of = ns.emplace_back();
    for (const sample& taken : each.samples) of.push_back(taken.cpu_s * 1e9 / work.operations);
  }
  report(out, libraries, work, ns);
}

}  // namespace bench
