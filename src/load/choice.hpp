// SPDX-License-Identifier: Zlib
//
// Which files a load has, and the order in which they begin.
#pragma once

#include "load/load_state.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::load_detail {

using file_chooser = function_ref<load_priority(const entry_info& file)>;

// Fills the records and the order of a load that has not begun. `choose`: null for all of the
// choice. Errors: threw, out_of_memory.
[[nodiscard]] result<void> choose_files(load_state& load, file_chooser* choose) noexcept;

// In file_control.cpp. What load_scope's functions of these names do, once it was started.
void cancel_file(load_state& load, std::uint32_t number) noexcept;
// Ends what waits for room and is cancelled now. For threads of the host.
void drop_cancelled(load_state& load) noexcept;
void raise_file(load_state& load, std::uint32_t number) noexcept;
void set_load_priority(load_state& load, load_priority priority) noexcept;

// The number of an entry's file, or index_stack::none.
[[nodiscard]] std::uint32_t number_of(const load_state& load, entry_index entry) noexcept;

}  // namespace overture::load_detail
