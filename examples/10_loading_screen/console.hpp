// SPDX-License-Identifier: Zlib
//
// What the example reads from the command line and prints.
#pragma once

#include <cstddef>
#include <vector>

#include "overture/load.hpp"
#include "overture/vfs.hpp"

class frame_times;
class screen;

struct options {
  std::vector<const char*> paths;   // what to mount
  const char* shot = nullptr;       // a picture of the loading screen, at half of the load
  const char* menu_shot = nullptr;  // a picture of the menu
  bool leaves_menu = false;         // ends once the menu was shown
};

// Ends the program for --help and for what it does not know.
options read_options(int count, char** values);

// These return the program's exit status.
int cannot_mount(const char* path, const overture::error& why);
int cannot_load(const overture::file_system& files, const overture::error& why);
int nothing_to_load();
int show_menu(screen& on, const overture::load_summary& loaded, const options& chosen);

void print_result(const overture::file_system& files, const overture::load_scope& load,
                  std::size_t textures, const frame_times& frames);
