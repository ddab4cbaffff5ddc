// SPDX-License-Identifier: Zlib
#include <exception>

#include "commands/command.hpp"
#include "system/exit_code.hpp"
#include "system/system.hpp"
#include "terminal/messages.hpp"
#include "writing/output_folder.hpp"

int main(int count, char** words) {
  namespace cli = overture::cli;
  if (!cli::has_room_for_stack()) return cli::exit_output_failed;
  cli::save_address_space();
  cli::exit_when_out_of_memory(cli::finish_writes_before_exit);
  try {
    cli::make_write_errors_nonfatal();
    const auto environment = cli::terminal_environment::from_process();
    cli::set_message_style(cli::choose_style(cli::when::automatic, environment,
                                             cli::terminal_width(cli::stream::err, environment)));
    return cli::run_command(cli::own_words(count, words));
  } catch (const std::exception& failure) {
    return cli::print_exception(failure);
  }
}
