// SPDX-License-Identifier: Zlib
//
// Derives from each interface that a host may derive from, with exceptions and type information,
// and hands the objects to the library, which has neither. An interface that kept its destructor
// or another member in the library would leave this program without the interface's type
// information: it would not link.
#include <overture/overture.hpp>

#include <chrono>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>

namespace {

using namespace overture;

void check(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

class host_allocator final : public allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag) noexcept override {
    calls.fetch_add(1);
    return ::operator new(bytes, std::align_val_t{alignment}, std::nothrow);
  }
  void deallocate(void* memory, std::size_t, std::size_t alignment, memory_tag) noexcept override {
    ::operator delete(memory, std::align_val_t{alignment});
  }
  atomic<int> calls{0};
};

class host_threads final : public thread_factory {
 public:
  result<thread_handle> start(const thread_options&, void (*entry)(void*) noexcept,
                              void* argument) override {
    try {
      ++started;
      return thread_handle{reinterpret_cast<std::uintptr_t>(new std::thread(entry, argument))};
    } catch (const std::exception&) {
      return fail(errc::limit, "no thread");
    }
  }
  void join(thread_handle handle) noexcept override {
    auto* thread = reinterpret_cast<std::thread*>(handle.value);
    thread->join();
    delete thread;
  }
  int started = 0;
};

class host_executor final : public executor {
 public:
  void execute(task work) noexcept override { work.run(work.context); }
};

class host_names final : public source_info {
 public:
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }
};

class host_decoder final : public decoder {
 public:
  const char* name() const noexcept override { return "host"; }
  bool accepts(std::string_view, std::span<const std::byte>) const noexcept override {
    return true;
  }
  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    return decoded_asset::make(asset_kind::text, bytes.size(), memory);
  }
};

class host_sink final : public asset_sink {
 public:
  result<void> finalize(entry_index, decoded_asset& asset, std::span<const std::byte>) override {
    if (asset.kind() == asset_kind::text) files.fetch_add(1);
    return {};
  }
  atomic<int> files{0};
};

// A call into the library through an interface must leave type information usable.
template <class Derived, class Base>
void check_type(Base& object) {
  check(dynamic_cast<Derived*>(&object) != nullptr, typeid(Base).name());
  check(typeid(object) == typeid(Derived), typeid(Derived).name());
}

void load(const char* folder) {
  host_allocator memory;
  host_threads threads;
  host_decoder text;
  host_sink sink;
  host_executor inline_executor;
  host_names names;
  check_type<host_allocator, allocator>(memory);
  check_type<host_threads, thread_factory>(threads);
  check_type<host_decoder, decoder>(text);
  check_type<host_sink, asset_sink>(sink);
  check_type<host_executor, executor>(inline_executor);
  check_type<host_names, source_info>(names);

  file_system files{{.memory = &memory}};
  check(files.mount(folder).has_value(), "mount");
  check(files.freeze().has_value(), "freeze");
  thread_pool jobs{{.workers = 1, .memory = &memory, .threads = &threads}};
  read_queue reads{files, {.threads = 1, .memory = &memory, .factory = &threads}};
  const decoder* const decoders[] = {&text};
  load_scope scope{files, reads, jobs, {.decoders = decoders, .sink = &sink, .memory = &memory}};
  check(scope.start().has_value(), "start");
  while (!scope.wait_for(std::chrono::milliseconds(100))) {
  }
  check(scope.summary().failed == 0 && scope.summary().files > 0, "load");
  check(static_cast<std::uint64_t>(sink.files.load()) == scope.summary().files, "finalize");
  check(threads.started == 2 && memory.calls.load() > 0, "the host's threads and memory");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    load(arguments[1]);
    check(false, "an exception passes frames of the host");
  } catch (const std::runtime_error& caught) {
    if (std::string(caught.what()) == "an exception passes frames of the host") return 0;
    std::fprintf(stderr, "failed: %s\n", caught.what());
  }
  return 1;
}
