# SPDX-License-Identifier: Zlib
"""The programs of tests/genmc, and the bugs that GenMC must find in each."""
import dataclasses

SAFETY = "Safety violation"
RACE = "Non-atomic race"
UNBORN = "Attempt to access non-allocated memory"
FREED = "Attempt to access freed memory"


@dataclasses.dataclass(frozen=True)
class Plant:
    source: str
    old: str
    new: str
    found: str
    model: str = "rc11"

    def __str__(self):
        text = f"{self.source}: {self.new.strip() or 'without ' + self.old.strip()}"
        return " ".join(text.split())


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    file: str
    plants: tuple = ()
    defined: tuple = ()
    options: tuple = ()
    expected: dict = dataclasses.field(default_factory=dict)  # by model, where it is not clean


BARRICADE = "include/overture/sync/barricade.hpp"
EVENT_COUNT = "src/sync/event_count.cpp"
DEQUE = "src/jobs/queues/job_deque.cpp"
PARKING = "src/jobs/sleep/parking.cpp"
PINS = "src/vfs/mounts/reader_pins.hpp"
MOUNTS = "tests/genmc/mount_table.cpp"

PROGRAMS = (
    Program("load_buffering", "load_buffering.cpp", expected={"imm": SAFETY}),
    Program(
        "barricade",
        "barricade.cpp",
        plants=(
            Plant(BARRICADE, "next, std::memory_order_acq_rel", "next, std::memory_order_acquire",
                  RACE),
            Plant(BARRICADE, "if ((seen & (waiters_bit | continuations_bit)) != 0) "
                             "wake(&word_, seen);", "", SAFETY),
        ),
    ),
    Program(
        "barricade_destroyed",
        "barricade_destroyed.cpp",
        plants=(
            Plant(BARRICADE, "if ((seen & (waiters_bit | continuations_bit)) != 0)",
                  "if ((word_.load(std::memory_order_relaxed) | waiters_bit) != 0)", FREED),
        ),
    ),
    Program(
        "event_count",
        "event_count.cpp",
        options=("--disable-spin-assume",),  # fails over an address that is compared
        plants=(
            Plant(EVENT_COUNT, "waiting_.fetch_add(0, std::memory_order_seq_cst) == 0",
                  "waiting_.load(std::memory_order_seq_cst) == 0", SAFETY),
            Plant("include/overture/sync/event_count.hpp", "      if (condition()) return;\n", "",
                  SAFETY),
        ),
    ),
    Program(
        "job_deque",
        "job_deque.cpp",
        defined=("JOBS=2", "THIEVES=steals,steals"),
        plants=(
            Plant(DEQUE, "bottom_.exchange(bottom, std::memory_order_seq_cst);\n  const",
                  "bottom_.store(bottom, std::memory_order_release);\n  const", SAFETY),
            Plant(DEQUE, "if (bottom_.load(std::memory_order_seq_cst) <= top) return {};",
                  "if (bottom_.load(std::memory_order_acquire) <= top) return {};", SAFETY),
            Plant(DEQUE, "bottom_.exchange(bottom, std::memory_order_seq_cst);\n}",
                  "bottom_.exchange(bottom, std::memory_order_relaxed);\n}", RACE),
        ),
    ),
    Program(
        "job_deque_grows",
        "job_deque.cpp",
        defined=("JOBS=3", "THIEVES=steals"),
        plants=(
            Plant(DEQUE, "array_.store(wider, std::memory_order_release)",
                  "array_.store(wider, std::memory_order_relaxed)", UNBORN),
        ),
    ),
    Program(
        "parking",
        "parking.cpp",
        defined=("JOBS=1", "ANNOUNCED=false"),
        plants=(
            Plant(DEQUE, "bottom_.exchange(bottom, std::memory_order_seq_cst);\n}",
                  "bottom_.store(bottom, std::memory_order_release);\n}", SAFETY),
            Plant(PARKING, "fetch_add(parked_one - searching_one, std::memory_order_seq_cst)",
                  "fetch_add(parked_one - searching_one, std::memory_order_acq_rel)", SAFETY),
            Plant("tests/genmc/parking.cpp", "bool visible = pool_.queues.work_visible()",
                  "bool visible = false", SAFETY),
        ),
    ),
    Program(
        "parking_of_two",
        "parking.cpp",
        defined=("JOBS=2", "ANNOUNCED=true"),
        plants=(
            Plant("tests/genmc/parking.cpp", "if (more) sleepers.wake_worker();", "", SAFETY),
        ),
    ),
    Program(
        "mount_table",
        "mount_table.cpp",
        defined=("FENCED=false", "READERS=reads"),
        plants=(
            Plant("src/vfs/mounts/reader_pins.cpp", "compare_exchange_weak(word, entered)",
                  "compare_exchange_weak(word, entered, std::memory_order_relaxed)", FREED),
            Plant(MOUNTS, "} while (collect_wanted_.exchange(false));", "} while (false);", SAFETY),
        ),
    ),
    Program(
        "mount_table_with_fence",
        "mount_table.cpp",
        defined=("FENCED=true", "READERS=reads"),
        plants=(
            Plant("tests/genmc/include/sync/asymmetric_fence.hpp",
                  "release);\n  std::atomic_thread_fence(std::memory_order_seq_cst);", "release);",
                  FREED),
            Plant(PINS, "sync_detail::light_store(here.inside, word - 1)",
                  "here.inside.store(word - 1, std::memory_order_relaxed)", SAFETY),
        ),
    ),
)
