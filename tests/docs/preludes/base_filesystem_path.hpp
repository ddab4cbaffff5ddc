// SPDX-License-Identifier: Zlib
extern std::filesystem::path user_folder;
