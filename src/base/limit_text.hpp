// SPDX-License-Identifier: Zlib
//
// The limits in the user's words, for errors with errc::limit. Each number is asserted next to the
// text that repeats it.
#pragma once

#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::limit_text {

inline constexpr std::uint64_t mib = std::uint64_t{1} << 20;
inline constexpr std::uint64_t gib = std::uint64_t{1} << 30;

// Mounts and the tree.
inline constexpr const char* files = "more than 16,777,216 files";
static_assert(limits::entries_max == 16'777'216);
inline constexpr const char* folders = "more than 1,048,576 folders";
static_assert(limits::folders_max == 1'048'576);
inline constexpr const char* folder_depth = "folders nested more than 128 deep";
static_assert(limits::folder_depth_max == 128);
inline constexpr const char* mounts = "more than 4,096 mounts";
static_assert(limits::mounts_max == 4096);
inline constexpr const char* open_files = "more than 1,048,576 open files";
inline constexpr const char* known_files = "more than 1,048,576 files in a handle cache";
static_assert(limits::sources_max == 1'048'576);
inline constexpr const char* moved_path = "a path in the folder would be longer than 4,096 bytes";
inline constexpr const char* temporary_path =
    "the path of the folder leaves no room for the temporary file's name within 4,096 bytes";
static_assert(limits::path_bytes_max == 4096);
inline constexpr const char* name = "the name is longer than 255 bytes";
static_assert(limits::path_element_bytes_max == 255);

// Links.
inline constexpr const char* folder_links = "more than 4,096 links to folders";
static_assert(limits::folder_links_max == 4096);
inline constexpr const char* linked_bytes =
    "links to folders would add more than 16 MiB of names to the archive";
static_assert(limits::linked_bytes_max == 16 * mib);
inline constexpr const char* link_target = "the link's target is longer than 4,096 bytes";
static_assert(limits::link_target_bytes_max == 4096);
inline constexpr const char* link_elements =
    "the archive's link targets have more than 262,144 names";
static_assert(limits::link_elements_max == 262'144);

// Archives.
inline constexpr const char* archive_directory = "the archive's directory is larger than 1 GiB";
static_assert(limits::archive_directory_bytes_max == gib);
inline constexpr const char* packed_directory =
    "the archive's directory unpacks to more than 16 MiB and more than 64 times its packed size";
static_assert(limits::packed_directory_bytes_always == 16 * mib &&
              limits::packed_directory_ratio_max == 64);
inline constexpr const char* archive_blocks =
    "more than 1,048,576 compressed blocks in the archive";
static_assert(limits::archive_blocks_max == 1'048'576);
inline constexpr const char* file_in_archive =
    "the file is 4 GiB or larger; split it, or put it in a folder";
inline constexpr const char* file_in_one_piece =
    "the file is 4 GiB or larger, too large to read in one piece";
static_assert(limits::entry_bytes_max + 1 == 4 * gib);
inline constexpr const char* block = "a compressed block is larger than 1 GiB";
inline constexpr const char* solid_block =
    "the file's solid block is larger than 1 GiB; repack with smaller blocks";
inline constexpr const char* encrypted_file =
    "the file is encrypted and larger than 1 GiB; split it, or store it unencrypted";
static_assert(limits::block_bytes_max == gib);

// The command puts an option in place of the last words, see reason_of() in
// cli/terminal/messages.cpp.
inline constexpr const char* bomb =
    "the file or its solid block unpacks to more than 64 MiB and 1,100 times its packed size, or "
    "to more than 16 GiB and 100 times, as a decompression bomb does; if you trust it, mount it "
    "with "
    "allow_bombs";
static_assert(limits::unpacked_bytes_always == 64 * mib && limits::unpacked_ratio_max == 1100);
static_assert(limits::unpacked_large_bytes == 16 * gib && limits::unpacked_large_ratio_max == 100);

// Jobs and timelines.
inline constexpr const char* workers = "more than 192 worker threads";
static_assert(limits::pool_workers_max == 192);
inline constexpr const char* graph_jobs = "more than 16,777,216 jobs in a graph";
inline constexpr const char* graph_dependencies = "more than 16,777,216 dependencies in a graph";
static_assert(limits::graph_jobs_max == 16'777'216);
inline constexpr const char* timeline_events = "more than 67,108,864 events for each thread";
static_assert(limits::timeline_events_max == 67'108'864);

// Images, sounds and models. All sizes are those after decoding.
inline constexpr const char* image_side = "the image has more than 32,768 pixels on a side";
static_assert(limits::image_side_max == 32768);
inline constexpr const char* image_bytes = "the image is larger than 1 GiB when decoded";
inline constexpr const char* image_ratio =
    "the image is larger than 64 MiB when decoded and has more than 1,100 pixels for each byte of "
    "the file";
static_assert(limits::image_bytes_always == 64 * mib && limits::image_pixels_per_byte_max == 1100);
inline constexpr const char* image_memory = "decoding the image takes more than 1 GiB";
static_assert(limits::image_bytes_max == gib);
inline constexpr const char* jpeg_scans = "the JPEG file has more than 100 scans";
static_assert(limits::jpeg_scans_max == 100);
inline constexpr const char* sound_channels = "the sound has more than 8 channels";
static_assert(limits::sound_channels_max == 8);
inline constexpr const char* sound_bytes = "the sound is larger than 1 GiB when decoded";
static_assert(limits::sound_bytes_max == gib);
inline constexpr const char* sound_ratio =
    "the sound is larger than 64 MiB when decoded and has more than 4,096 bytes for each byte of "
    "the file";
static_assert(limits::sound_bytes_always == 64 * mib && limits::sound_bytes_per_byte_max == 4096);
inline constexpr const char* vorbis_codebook =
    "a codebook of the Vorbis file has more than 16,384 entries";
static_assert(limits::vorbis_codebook_entries_max == 16384);
inline constexpr const char* vorbis_tables =
    "the Vorbis file's codebooks and tables take more than 64 MiB";
static_assert(limits::vorbis_tables_bytes_max == 64 * mib);
inline constexpr const char* model_surfaces = "the model has more than 256 surfaces";
static_assert(limits::model_surfaces_max == 256);
inline constexpr const char* model_bytes = "the model is larger than 1 GiB when decoded";
static_assert(limits::model_bytes_max == gib);
inline constexpr const char* model_ratio =
    "the model is larger than 64 MiB when decoded and has more than 64 bytes for each byte of the "
    "file";
static_assert(limits::model_bytes_always == 64 * mib && limits::model_bytes_per_byte_max == 64);

// Loads.
inline constexpr const char* record = "the record of the load is larger than 256 MiB";
static_assert(limits::record_bytes_max == 256 * mib);

// Text.
inline constexpr const char* text_depth = "blocks nested more than 64 deep";
static_assert(limits::text_depth_max == 64);
inline constexpr const char* text_elements =
    "elements take more than 1 MiB and more than 256 times the memory of their text";
static_assert(limits::text_element_bytes_always == mib &&
              limits::text_element_bytes_ratio_max == 256);
inline constexpr const char* save_bytes = "the save is larger than 16 GiB";
static_assert(limits::save_bytes_max == 16 * gib);
inline constexpr const char* save_parts =
    "more than 4,096 sections or 16,777,216 pages in the save";
static_assert(limits::save_sections_max == 4096 && limits::save_pages_max == 16'777'216);

}  // namespace overture::limit_text
