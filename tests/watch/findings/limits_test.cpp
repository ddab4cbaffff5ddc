// SPDX-License-Identifier: Zlib
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.hpp"
#include "watch/findings/finding.hpp"

namespace overture::watch::limits_test {
namespace {

using testing::HasSubstr;

TEST(limits, say_that_no_samples_were_taken) {
  made_up process;
  EXPECT_THAT(limits_of(view_of(process.done(10_ms))), testing::Contains(HasSubstr("samples")));
  process->sample_ns = 1_ms;
  EXPECT_TRUE(limits_of(view_of(process.done(10_ms))).empty());
}

TEST(limits, say_what_the_program_hid) {
  made_up process;
  process->sample_ns = 1_ms;
  process->unknown = has_own_allocator | has_raw_threads | has_other_root;
  process.main().add(event_kind::load_code, 1_ms, 0, process.name("a.so"), RTLD_NOW);
  process.main().add(event_kind::load_code, 1_ms, 0, process.name("b.so"),
                     RTLD_NOW | RTLD_DEEPBIND);
  EXPECT_THAT(limits_of(view_of(process.done(10_ms))),
              testing::ElementsAre(HasSubstr("allocator"), HasSubstr("clone()"),
                                   HasSubstr("chroot()"), HasSubstr("b.so was loaded")));
}

TEST(limits, say_that_wine_hides_the_game) {
  made_up process;
  process->sample_ns = 1_ms;
  process->modules.push_back({0x7000'0000, 0x7100'0000, "/usr/lib/wine/x86_64-unix/ntdll.so"});
  EXPECT_THAT(limits_of(view_of(process.done(10_ms))), testing::ElementsAre(HasSubstr("Wine")));
}

}  // namespace
}  // namespace overture::watch::limits_test
