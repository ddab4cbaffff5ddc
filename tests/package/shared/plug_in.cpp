// SPDX-License-Identifier: Zlib
#include "plug_in.hpp"

#include "plug_in_export.h"

namespace {

using namespace overture;

std::size_t sum(thread_pool& jobs, barricade& door, std::size_t count) {
  door.wait();
  atomic<std::size_t> all{0};
  parallel_for(jobs, 0, count, [&](std::size_t i) { all.fetch_add(i); });
  return all.load();
}

class failing_sink final : public asset_sink {
 public:
  result<void> finalize(entry_index, decoded_asset&, std::span<const std::byte>) override {
    return fail(errc::unsupported, "said by the plug-in");
  }
};

asset_sink& sink() noexcept {
  static failing_sink instance;
  return instance;
}

}  // namespace

extern "C" PLUG_IN_EXPORT const plug_in_calls overture_test_plug_in;
const plug_in_calls overture_test_plug_in{default_allocator, current_wait_observer, sum, sink};
