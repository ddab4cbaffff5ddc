// SPDX-License-Identifier: Zlib
//
// The places of base, sync, trace, jobs and text.
#include "host.hpp"

namespace host {
namespace {

// A pool of one worker that has run all jobs when the test ends, and whose hooks have heard of
// everything that was thrown.
template <class Test>
void on_pools(int thrown, Test test) {
  for (const unsigned workers : {0u, 1u}) {
    listener heard;
    {
      thread_pool pool{{.workers = workers, .hooks = heard.hooks()}};
      test(static_cast<job_system&>(pool));
    }
    heard.check_heard(thrown);
  }
  listener heard;
  {
    single_threaded alone{{.seed = 7, .hooks = heard.hooks()}};
    test(static_cast<job_system&>(alone));
  }
  heard.check_heard(thrown);
}

void jobs_of_every_kind() {
  on_pools(thrown_everywhere, [](job_system& system) {
    use_plainly(system);
    use_everywhere(system, {[] { fail_now(); }});
  });
}

void jobs_without_memory() {
  // Refuses all: the system runs jobs where they are submitted.
  struct refusing final : allocator {
    void* allocate(std::size_t, std::size_t, memory_tag) noexcept override { return nullptr; }
    void deallocate(void*, std::size_t, std::size_t, memory_tag) noexcept override {}
  } memory;
  thread_pool pool{{.workers = 1, .memory = &memory}};
  use_everywhere(pool, {[] { fail_now(); }});
}

void jobs_of_the_main_thread() {
  listener heard;
  {
    thread_pool pool{{.workers = 1, .hooks = heard.hooks()}};
    pool.submit_main([] { fail_now(); });
    (void)pool.pump(1);
  }
  heard.check_heard(1);
}

void jobs_of_graphs() {
  on_pools(2, [](job_system& system) {
    job_graph graph{system};
    const graph_job first = *graph.add([] { fail_now(); });
    const graph_job second = *graph.add([] { fail_now(); });
    CHECK(graph.order(first, second).has_value());
    CHECK(graph.run().has_value());
  });
}

void reduce() {
  on_pools(2, [](job_system& system) {
    const auto map = [](std::size_t) {
      fail_now();
      return 1;
    };
    const auto plus = [](int a, int b) { return a + b; };
    CHECK(parallel_reduce(system, 0, 2, 0, map, plus, 1) == (throws ? 0 : 2));
  });
  on_pools(1, [](job_system& system) {
    const auto plus = [](std::string a, const std::string& b) {
      if (!a.empty()) fail_now();
      return a + b;
    };
    const auto map = [](std::size_t) { return std::string("x"); };
    CHECK(parallel_reduce(system, 0, 2, std::string(), map, plus, 1) == (throws ? "" : "xx"));
  });
}

void visit_objects() {
  on_pools(1, [](job_system& system) {
    paged<int> numbers;
    CHECK(numbers.add(1).has_value());
    numbers.for_each(system, [](int&) { fail_now(); });
  });
}

void then_function() {
  // On a job system, and where the executor sees the exception.
  on_pools(2, [](job_system& system) {
    auto made = *promise<int>::make();
    const auto number = made.future().then(system, shared_call{[] { fail_now(); }});
    const auto nothing = made.future().then(system, [](const result<int>&) { fail_now(); });
    made.set_value(1);
    while (!number->is_ready() || !nothing->is_ready()) (void)system.try_help();
    CHECK_THREW(number->get());
    CHECK_THREW(nothing->get());
  });
}

co_task<int> throwing_coroutine() {
  fail_now();
  co_return 1;
}
co_task<int> awaiting_coroutine() {
  result<int> inner = co_await throwing_coroutine();
  CHECK_THREW(inner);
  co_return 2;
}
void coroutine() {
  on_pools(2, [](job_system& system) {
    const auto thrown = spawn(system, throwing_coroutine());
    const auto outer = spawn(system, awaiting_coroutine());
    while (!thrown->is_ready() || !outer->is_ready()) (void)system.try_help();
    CHECK_THREW(thrown->get());
    CHECK(outer->get().value() == 2);
  });
}

co_task<int> jobs_in_coroutine(job_system& system) {
  const auto number = co_await run_job(system, [] {
    fail_now();
    return 1;
  });
  CHECK_THREW(number);
  const auto nothing = co_await run_job(system, [] { fail_now(); });
  CHECK_THREW(nothing);
  co_return 3;
}
void job_of_coroutine() {
  on_pools(2, [](job_system& system) {
    const auto outcome = spawn(system, jobs_in_coroutine(system));
    while (!outcome->is_ready()) (void)system.try_help();
    CHECK(outcome->get().value() == 3);
  });
}

constexpr task broken_task{[](void*) { fail_now(); }, nullptr};

void tasks() {
  on_pools(2, [](job_system& system) {
    system.execute(broken_task);
    {
      job_group group{system};
      group.execute(broken_task);
    }
    while (system.try_help()) {
    }
  });
}

void continuations() {
  on_pools(2, [](job_system& system) {
    auto made = *promise<int>::make();
    continuation on_value{.work = broken_task, .where = &system};
    made.future().on_ready(on_value);
    barricade door{barricade::raised};
    barricade_continuation on_door;
    on_door.work = broken_task;
    on_door.where = &system;
    CHECK(door.on_lowered(on_door));
    made.set_value(1);
    door.lower();
    while (system.try_help()) {
    }
  });
}

void hooks() {
  struct seen {
    std::atomic<int> begun{0}, ended{0}, threw{0}, refused{0};
  } all;
  const job_hooks broken{.worker_begins =
                             [](void* self, unsigned) {
                               ++static_cast<seen*>(self)->begun;
                               fail_now();
                             },
                         .worker_ends =
                             [](void* self, unsigned) {
                               ++static_cast<seen*>(self)->ended;
                               fail_now();
                             },
                         .job_threw =
                             [](void* self, const char*, const char*) {
                               ++static_cast<seen*>(self)->threw;
                               fail_now();
                             },
                         .wait_refused =
                             [](void* self, const char*, const char*) {
                               ++static_cast<seen*>(self)->refused;
                               fail_now();
                             },
                         .context = &all};
  {
    thread_pool pool{{.workers = 1, .hooks = broken}};
    job_group group{pool};
    group.run([&group] { group.wait(); });
    group.wait();
    pool.submit(job());  // has no callable
  }
  single_threaded alone{{.hooks = broken}};
  job_group group{alone};
  group.run([&group] { group.wait(); });
  group.wait();
  CHECK(all.begun == 1 && all.ended == 1 && all.refused == 2);
  CHECK(all.threw == (throws ? 5 : 1));
}

class broken_threads final : public thread_factory {
 public:
  result<thread_handle> start(const thread_options& options, void (*entry)(void*) noexcept,
                              void* argument) override {
    fail_now();
    return default_thread_factory().start(options, entry, argument);
  }
  void join(thread_handle thread) noexcept override { default_thread_factory().join(thread); }
};
void factories() {
  broken_threads threads;
  thread_pool pool{{.workers = 1, .threads = &threads}};
  CHECK_THREW(pool.status());
  simulated_disk files;
  const read_queue reads{files, {.threads = 1, .factory = &threads}};
  CHECK_THREW(reads.status());
}

void conditions() {
  event_count events;
#if defined(__cpp_exceptions)
  bool passed_on = false;
  try {
    events.await([]() -> bool { fail_now(); });
  } catch (const std::runtime_error&) {
    passed_on = true;
  }
  CHECK(passed_on);
#endif
  events.await([] { return true; });
}

class broken_sink final : public text_sink {
 public:
  result<void> write(std::string_view) override {
    fail_now();
    return {};
  }
};
class patient_sink final : public text_sink {
 public:
  result<void> write(std::string_view) override { return {}; }
};
void record_one(timeline& record) {
  CHECK(record.attach_thread("main").has_value());
  {
    const zone work("work", {.subject = 1});
  }
  const std::uint64_t now = now_ns();
  overture::record(
      {.begin_ns = now, .end_ns = now, .name = "read", .subject = 1, .kind = event_kind::request});
  overture::record({.begin_ns = now,
                    .end_ns = now,
                    .name = "normal",
                    .subject = 1,
                    .kind = event_kind::service});
  record.detach_thread();
}
void exported_text() {
  timeline record;
  record_one(record);
  broken_sink sink;
  CHECK_THREW(write_chrome_json(record, sink));
}
std::size_t broken_name(std::uint32_t, std::span<char>) {
  fail_now();
  return 0;
}
void subject_names() {
  timeline record;
  record_one(record);
  patient_sink sink;
  const auto broken = [](std::uint32_t subject, std::span<char> text) {
    return broken_name(subject, text);
  };
  function_ref<std::size_t(std::uint32_t, std::span<char>)> naming = broken;
  CHECK_THREW(write_chrome_json(record, sink, {.subject_name = &naming}));
}
void subject_layers() {
  timeline record;
  record_one(record);
  patient_sink sink;
  const auto broken = [](std::uint32_t subject, std::span<char> text) {
    return broken_name(subject, text);
  };
  function_ref<std::size_t(std::uint32_t, std::span<char>)> naming = broken;
  CHECK_THREW(write_chrome_json(record, sink, {.subject_layer = &naming}));
}
void events() {
  timeline record;
  record_one(record);
  CHECK_THREW(record.track(0).for_each_event([](const trace_event&) { fail_now(); }));
}
void wakes() {
  timeline record;
  const std::uint64_t now = now_ns();
  for (const event_kind kind : {event_kind::wake, event_kind::wait}) {
    CHECK(record.attach_thread("main").has_value());
    overture::record(
        {.begin_ns = now, .end_ns = now + 1, .name = "place", .value = 1, .kind = kind});
    record.detach_thread();
  }
  CHECK_THREW(for_each_wake(record, [](const wake_flow&) { fail_now(); }));
}
void releases() {
  timeline record;
  const std::uint64_t now = now_ns();
  CHECK(record.attach_thread("main").has_value());
  overture::record({now, now + 1, "work", 0, 0, event_kind::zone});
  overture::record({now, now + 2, "a need", 1, 1, event_kind::delay});
  overture::record({now + 3, now + 4, "work", 0, 1, event_kind::zone});
  record.detach_thread();
  CHECK_THREW(for_each_release(record, [](const release_flow&) { fail_now(); }));
}

void replaced_file() {
  CHECK_THREW(replace_file(system_os(), "throws_written.txt", [](os_handle) -> result<void> {
    fail_now();
    return {};
  }));
  (void)system_os().remove_file("throws_written.txt");
}

// Calls test(jobs) without and with a job system.
template <class Test>
void with_and_without_jobs(Test test) {
  test(nullptr);
  thread_pool pool{{.workers = 1}};
  test(static_cast<job_system*>(&pool));
}

char* write_one(char* out, const int&) {
  fail_now();
  *out++ = '\n';
  return out;
}
void pages_written() {
  with_and_without_jobs([](job_system* jobs) {
    text::page_table table;
    CHECK(table.prepare(2, 2).has_value());
    for (std::size_t i = 0; i < 2; ++i) table.set_page(i, 1, 4);
    std::vector<char> buffer(1000);
    CHECK_THREW(
        text::write_pages(jobs, table, buffer, text::layout::dense,
                          [](std::size_t, char* out, const char*) { return write_one(out, 0); }));
  });
}
struct unit {
  int number = 0;
  char* write(char* out) const { return write_one(out, number); }
};
void objects_written() {
  paged<unit> units;
  CHECK(units.add().has_value());
  std::vector<char> buffer(1000);
  thread_pool pool{{.workers = 1}};
  const auto call = [](char* out, const unit& each) { return write_one(out, each.number); };
  CHECK_THREW(text::write_with(units, std::span(buffer), 4, call));
  CHECK_THREW(text::write_with(pool, units, std::span(buffer), 4, call));
  CHECK_THREW(text::write_with(units, std::span(buffer), 4, &unit::write));
  CHECK_THREW(text::write_with(pool, units, std::span(buffer), 4, &unit::write));
}
void pages_read() {
  with_and_without_jobs([](job_system* jobs) {
    text::page_table table;
    CHECK(table.prepare(2, 2).has_value());
    for (std::size_t i = 0; i < 2; ++i) table.set_entry(i, {i, 1, 1});
    CHECK_THREW(text::read_pages(jobs, table, "ab", 1, [](std::size_t, std::string_view) {
      fail_now();
      return error{};
    }));
  });
}

// A string whose memory is refused.
struct fickle_string {
  operator std::string_view() const noexcept { return "text"; }
  void assign(const char*, std::size_t) { fail_now(); }
};
struct titled {
  fickle_string title;
};
constexpr auto fields(text::of<titled>) {
  return text::field_list(text::field("title", &titled::title, text::quoted<8>{}));
}
using titles = text::script<"titled">;
// A container whose memory is refused.
class fickle_list {
 public:
  using value_type = int;
  void clear() {}
  void push_back(int) { fail_now(); }
  std::size_t size() const { return 0; }
  const int* begin() const { return nullptr; }
  const int* end() const { return nullptr; }
};
struct listed {
  fickle_list numbers;
};

void strings_read() {
  const std::string_view written = "titled={\n\ttitle=\"text\"\n}\n";
  paged<titled> objects;
  CHECK_THREW(text::read<titles>(written, objects));
  CHECK(objects.empty() == throws);
  thread_pool pool{{.workers = 1}};
  paged<titled> others;
  CHECK_THREW(text::read<titles>(pool, written, others));
  paged<listed> lists;
  CHECK_THREW(text::read<text::json>("{\"numbers\":[1]}\n", lists));
  CHECK_THREW(text::read<text::json>(pool, "{\"numbers\":[1]}\n", lists));
}

std::string save_of_one_unit() {
  text::save_writer out{1};
  paged<unit> units;
  CHECK(units.add().has_value());
  CHECK(out.add<text::script<"unit">>("units", units).has_value());
  CHECK(out.commit(system_os(), "throws.save").has_value());
  std::string bytes(10'000, '\0');
  const auto file = system_os().open("throws.save");
  const auto size = system_os().read_at(*file, 0, std::as_writable_bytes(std::span(bytes)));
  bytes.resize(*size);
  system_os().close(*file);
  (void)system_os().remove_file("throws.save");
  return bytes;
}
void upgrades() {
  const std::string bytes = save_of_one_unit();
  const auto upgrade = [](unit&, std::uint32_t) { fail_now(); };
  text::save_file save;
  CHECK(save.load_bytes(bytes, {.version = 2}).has_value());
  paged<unit> units;
  CHECK_THREW(save.read<text::script<"unit">>("units", units, upgrade));
  CHECK_THREW(save.salvage<text::script<"unit">>("units", units, upgrade));
}
void damages() {
  std::string bytes = save_of_one_unit();
  bytes[bytes.find("number")] = 'N';
  text::save_file save;
  CHECK(!save.load_bytes(bytes, {.version = 1}).has_value());
  CHECK_THREW(save.for_each_damage([](const text::save_damage&) { fail_now(); }));
}

}  // namespace

const std::vector<place> places_of_jobs = {
    {"job::job", jobs_of_every_kind},
    {"job::allocated", jobs_of_every_kind},
    {"job_group::run", jobs_of_every_kind},
    {"job_batch::add", jobs_of_every_kind},
    {"parallel_invoke", jobs_of_every_kind},
    {"parallel_for", jobs_of_every_kind},
    {"job::job (without memory)", jobs_without_memory},
    {"job::job (for the main thread)", jobs_of_the_main_thread},
    {"job::job (in a graph)", jobs_of_graphs},
    {"parallel_reduce", reduce},
    {"paged::for_each", visit_objects},
    {"shared_future::then", then_function},
    {"co_task", coroutine},
    {"run_job", job_of_coroutine},
    {"task::run", tasks},
    {"continuation::work", continuations},
    {"barricade_continuation::work", continuations},
    {"job_hooks::worker_begins", hooks},
    {"job_hooks::worker_ends", hooks},
    {"job_hooks::job_threw", hooks},
    {"job_hooks::wait_refused", hooks},
    {"thread_factory::start", factories},
    {"event_count::await", conditions},
    {"text_sink::write", exported_text},
    {"chrome_json_options::subject_name", subject_names},
    {"chrome_json_options::subject_layer", subject_layers},
    {"timeline_track::for_each_event", events},
    {"for_each_wake", wakes},
    {"for_each_release", releases},
    {"replace_file", replaced_file},
    {"text::write_page_function", pages_written},
    {"text::write_with", objects_written},
    {"text::read_page_function", pages_read},
    {"text::read (assign)", strings_read},
    {"text::save_file::read", upgrades},
    {"text::save_file::salvage", upgrades},
    {"text::save_file::for_each_damage", damages},
};

}  // namespace host
