// SPDX-License-Identifier: Zlib
//
// The shipped thread pool, its queues and its parking, through all interleavings of small programs.
// Workers are threads of the explorer: the factory notes what they would run.
#include "overture/jobs/thread_pool.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "interleave/explored_pool.hpp"
#include "overture/jobs/blocking_scope.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/jobs/job_graph.hpp"
#include "overture/jobs/parallel.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::thread_pool_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;
using interleave::variable;
using test::explored_pool;

TEST(a_pool_in_all_interleavings, runs_a_job_without_a_waiter) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           explored.pool->submit([&runs] { runs.fetch_add(1); });
           // Only the worker can run it, so a lost wake would hang here.
           while (runs.load() == 0) interleave::let_others_run();
           explored.leave();
         }});
    check(runs.load() == 1, "it ran once");
  });
}

TEST(a_pool_in_all_interleavings, shows_a_waiter_what_the_job_wrote) {
  expect_clean_nearby([] {
    variable<int> value(0);
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           {
             job_group group(*explored.pool);
             group.run([&value] { value.write(1); });
             group.wait();
             check(value.read() == 1, "sees what the job wrote");
           }
           explored.leave();
         }});
  });
}

TEST(a_pool_in_all_interleavings, gives_a_fork_to_one_thread_only) {
  expect_clean_nearby([] {
    variable<int> value(0);
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           int first = 0;
           parallel_invoke(
               *explored.pool, [&first] { ++first; }, [&value] { value.write(value.read() + 1); });
           check(first == 1 && value.read() == 1, "each half ran once, and is seen");
           explored.leave();
         }});
  });
}

TEST(a_pool_in_all_interleavings, helps_with_what_a_thief_forks) {
  expect_clean_nearby([] {
    variable<int> left(0);
    variable<int> right(0);
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           parallel_invoke(
               *explored.pool, [] {},
               [&] {
                 parallel_invoke(
                     *explored.pool, [&left] { left.write(1); }, [&right] { right.write(1); });
               });
           check(left.read() + right.read() == 2, "all of it ran");
           explored.leave();
         }});
  });
}

TEST(a_pool_in_all_interleavings, loses_no_job_of_two_submitters) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(1, 2);
    const auto submit = [&] {
      {
        job_group group(*explored.pool);
        group.run([&runs] { runs.fetch_add(1); });
        group.wait();
      }
      explored.leave();
    };
    run({[&] { explored.worker(0); }, submit, submit});
    check(runs.load() == 2, "both ran once");
  });
}

TEST(a_pool_in_all_interleavings, loses_no_job_of_a_full_queue) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(1, 1, wake_policy::park, 0, 1, jobs_detail::sizes::chunk_records);
    std::optional<job_group> group(std::in_place, *explored.pool);
    const auto add = [&runs] { runs.fetch_add(1); };
    // The last one finds it full, and so would the next one before the worker starts.
    for (std::uint32_t i = 0; i <= jobs_detail::sizes::chunk_records; ++i) group->run(add);
    run({[&] { explored.worker(0); },
         [&] {
           group->run(add);
           group->wait();
           check(group->pending() == 0, "none is left");
           group->run(add);
           group->wait();
           group.reset();
           explored.leave();
         }});
    check(runs.load() == static_cast<int>(jobs_detail::sizes::chunk_records) + 3, "each ran once");
  });
}

TEST(a_pool_in_all_interleavings, hands_wakes_on_from_worker_to_worker) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(2, 1);
    run({[&] { explored.worker(0); }, [&] { explored.worker(1); },
         [&] {
           {
             job_batch batch(*explored.pool);
             for (int i = 0; i < 2; ++i) batch.add([&runs] { runs.fetch_add(1); });
           }
           while (runs.load() != 2) interleave::let_others_run();
           explored.leave();
         }});
  });
}

// A waiter takes several jobs of another slot at once: other threads must be able to get those that
// it has not started. The first job to run ends only when another thread has run the second.
void wait_for_the_next(atomic<int>& runs) {
  if (runs.fetch_add(1) != 0) return;
  while (runs.load() == 1 && interleave::exploring()) interleave::let_others_run();
}

TEST(a_pool_in_all_interleavings, gives_a_worker_what_a_waiter_has_taken) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(1, 1, wake_policy::park, 0, 3);
    std::optional<job_group> group(*explored.pool);
    for (int i = 0; i < 2; ++i) group->run([&runs] { wait_for_the_next(runs); });
    run({[&] { explored.worker(0); },
         [&] {
           group.reset();  // waits
           explored.leave();
         }});
    check(runs.load() == 2, "both ran");
  });
}

// A submit wakes no worker while another one searches: that worker must wake the other one if it
// finds more than it can run.
TEST(a_pool_in_all_interleavings, wakes_a_worker_for_the_job_that_another_one_waits_for) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    atomic<int> ended{0};
    barricade over;
    explored_pool explored(2, 1);
    run({[&] { explored.worker(0); }, [&] { explored.worker(1); },
         [&] {
           for (int i = 0; i < 2; ++i) {
             explored.pool->submit([&] {
               wait_for_the_next(runs);
               if (ended.fetch_add(1) == 1) over.lower();
             });
           }
           over.wait({.spin = spin_policy::none()});
           explored.leave();
         }});
  });
}

TEST(a_pool_in_all_interleavings, gives_a_waiter_what_another_one_has_taken) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(0, 1, wake_policy::park, 0, 3);
    auto group = std::make_unique<job_group>(*explored.pool);
    for (int i = 0; i < 3; ++i) group->run([&runs] { wait_for_the_next(runs); });
    run({[&] { group->wait(); }, [&] { group->wait(); }});
    check(runs.load() == 3, "all ran");
    if (runs.load() != 3) (void)group.release();  // it would wait for ever
    group.reset();
    explored.leave();
  });
}

// The jobs come while both sleep, and the waiter that is woken takes them all.
TEST(a_pool_in_all_interleavings, wakes_a_waiter_for_what_another_one_was_woken_for) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(0, 1, wake_policy::park, 0, 3);
    auto owned = std::make_unique<job_group>(*explored.pool);
    job_group* const group = owned.get();
    group->begin_job();
    run({[&] { group->wait(); }, [&] { group->wait(); },
         [&] {
           job_batch batch(*explored.pool, group);
           for (int i = 0; i < 2; ++i) batch.add([&runs] { wait_for_the_next(runs); });
           batch.add([group] { (void)group->end_job(); });  // the job that kept them waiting
         }});
    check(runs.load() == 2, "both ran");
    if (runs.load() != 2) (void)owned.release();  // it would wait for ever
    owned.reset();
    explored.leave();
  });
}

// A waiter looks first where the group began: the jobs of one thread may lie elsewhere, behind one
// of another group.
TEST(a_pool_in_all_interleavings, finds_the_jobs_of_a_group_that_two_threads_begin) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(0, 1, wake_policy::park, 0, 3);
    auto owned = std::make_unique<job_group>(*explored.pool);
    job_group* const group = owned.get();
    group->begin_job();
    const auto submit = [&] {
      explored.pool->submit([] {});
      group->run([&] {
        if (runs.fetch_add(1) == 1) (void)group->end_job();
      });
    };
    run({[&] { group->wait(); }, submit, submit});
    check(runs.load() == 2, "both ran");
    if (group->pending() != 0) (void)owned.release();  // it would wait for ever
    owned.reset();
    explored.leave();
  });
}

// The waiter has run a job of its own by then, which it counts down late.
TEST(a_pool_in_all_interleavings, ends_no_wait_before_the_job_that_a_worker_has) {
  expect_clean_nearby([] {
    variable<int> first(0);
    variable<int> second(0);
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           {
             job_group group(*explored.pool);
             group.run([&first] { first.write(1); });
             group.run([&second] { second.write(1); });
             group.wait();
             check(first.read() + second.read() == 2, "both have run");
           }
           explored.leave();
         }});
  });
}

// A waiter whose time is up is woken for a job that is queued further back than it looks before it
// leaves: the other waiter must run it.
TEST(a_pool_in_all_interleavings, passes_a_wake_on_with_which_a_waiter_leaves) {
  expect_clean_nearby([] {
    barricade has_run;
    explored_pool explored(0, 1, wake_policy::park, 0, 3);
    auto owned = std::make_unique<job_group>(*explored.pool);
    job_group* const group = owned.get();
    group->begin_job();
    run({[&] { (void)group->wait_until(2); }, [&] { group->wait(); },
         [&] {
           explored.pool->submit([] {});
           group->run([&] {
             (void)group->end_job();  // the job that kept them waiting
             has_run.lower();
           });
           has_run.wait({.spin = spin_policy::none()});
         }});
    if (group->pending() != 0) (void)owned.release();  // it would wait for ever
    owned.reset();
    explored.leave();
  });
}

// As a load ends, on a thread that reads.
TEST(a_pool_in_all_interleavings, ends_after_a_submit_whose_job_has_run) {
  for (const job_priority priority : {job_priority::normal, job_priority::low}) {
    expect_clean_nearby([priority] {
      atomic<int> runs{0};
      explored_pool explored(1, 1);
      run({[&] { explored.worker(0); },
           [&] {
             explored.pool->submit([&runs] { runs.fetch_add(1); }, nullptr, {.priority = priority});
           },
           [&] {
             while (runs.load() == 0) interleave::let_others_run();
             explored.leave();
           }});
    });
  }
}

TEST(a_pool_in_all_interleavings, stops_while_its_worker_goes_to_sleep) {
  expect_clean_nearby([] {
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); }, [&] { explored.leave(); }});
  });
}

// Only one worker at a time takes jobs of low priority here: one that gives up its turn must not
// leave a job behind.
TEST(a_pool_in_all_interleavings, leaves_no_job_of_low_priority) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(2, 1);
    run({[&] { explored.worker(0); }, [&] { explored.worker(1); },
         [&] {
           for (int i = 0; i < 2; ++i) {
             explored.pool->submit([&runs] { runs.fetch_add(1); }, nullptr,
                                   {.priority = job_priority::low});
           }
           while (runs.load() != 2) interleave::let_others_run();
           explored.leave();
         }});
  });
}

TEST(a_pool_in_all_interleavings, starts_what_a_cork_has_gathered_before_a_wait) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           {
             job_group group(*explored.pool);
             const cork gathered(*explored.pool);
             group.run([&runs] { runs.fetch_add(1); });
             group.wait();
             check(runs.load() == 1, "the wait has started it");
           }
           explored.leave();
         }});
  });
}

// The warm role is given up and taken while jobs come and the pool ends.
TEST(a_pool_in_all_interleavings, loses_no_job_while_the_warm_role_moves) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(2, 1, wake_policy::warm);
    run({[&] { explored.worker(0); }, [&] { explored.worker(1); },
         [&] {
           for (int i = 0; i < 2; ++i) explored.pool->submit([&runs] { runs.fetch_add(1); });
           while (runs.load() != 2) interleave::let_others_run();
           explored.leave();
         }});
  });
}

// The worker yields for ever, so no other thread may: the submitter sleeps until the job has run.
TEST(a_pool_in_all_interleavings, loses_no_job_with_a_worker_that_never_sleeps) {
  expect_clean_nearby([] {
    variable<int> value(0);
    explored_pool explored(1, 1, wake_policy::spin);
    run({[&] { explored.worker(0); },
         [&] {
           {
             job_group group(*explored.pool);
             group.run([&value] { value.write(value.read() + 1); });
             group.wait();
             check(value.read() == 1, "it ran once");
           }
           explored.leave();
         }});
  });
}

TEST(a_pool_in_all_interleavings, loses_no_job_at_the_ends_of_a_hot_zone) {
  expect_clean_nearby([] {
    variable<int> value(0);
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           {
             job_group group(*explored.pool);
             {
               const hot_zone zone(*explored.pool);
               group.run([&value] { value.write(value.read() + 1); });
             }
             group.wait();
             check(value.read() == 1, "it ran once");
           }
           explored.leave();
         }});
  });
}

TEST(a_pool_in_all_interleavings, loses_no_job_at_the_ends_of_a_zone) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           {
             const wake_zone zone(*explored.pool, wake_policy::warm);
             explored.pool->submit([&runs] { runs.fetch_add(1); });
           }
           explored.pool->submit([&runs] { runs.fetch_add(1); });
           while (runs.load() != 2) interleave::let_others_run();
           explored.leave();
         }});
  });
}

TEST(a_pool_in_all_interleavings, gives_the_work_of_one_that_blocks_to_a_spare) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(1, 1, wake_policy::park, 1);
    run({[&] { explored.worker(0); }, [&] { explored.worker(1); },
         [&] {
           explored.pool->submit([&] {
             explored.pool->submit([&runs] { runs.fetch_add(1); });
             const blocking_scope here;
             // Only the spare can run it; it must not sleep among the workers.
             while (runs.load() == 0) interleave::let_others_run();
             runs.fetch_add(1);
           });
           while (runs.load() != 2) interleave::let_others_run();
           while (explored.pool->stats().parked_now != 1) interleave::let_others_run();
           explored.leave();
         }});
  });
}

TEST(a_graph_in_all_interleavings, starts_a_job_after_all_that_it_waits_for) {
  expect_clean_nearby([] {
    variable<int> left(0);
    variable<int> right(0);
    variable<int> both(0);
    variable<int> ends(0);
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           {
             job_graph graph(*explored.pool);
             const graph_job a = *graph.add([&left] { left.write(left.read() + 1); });
             const graph_job b = *graph.add([&right] { right.write(right.read() + 1); });
             const graph_job c = *graph.add([&] {
               check(left.read() == right.read(), "sees what both have written");
               both.write(both.read() + 1);
             });
             const graph_job d = *graph.add([&] { ends.write(both.read()); });
             check(graph.order(a, c).has_value() && graph.order(b, c).has_value() &&
                       graph.order(c, d).has_value(),
                   "built");
             check(graph.run().has_value() && graph.run().has_value(), "ran twice");
             check(left.read() == 2 && right.read() == 2 && ends.read() == 2,
                   "each ran in each run");
           }
           explored.leave();
         }});
  });
}

}  // namespace
}  // namespace overture::thread_pool_test
