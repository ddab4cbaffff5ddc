# SPDX-License-Identifier: Zlib
"""The modules of Overture, for tidy.py, and the sources that other tests cover."""

# The modules from low to high: each may use those before it.
LAYERS = ("base", "sync", "trace", "jobs", "text", "io", "archives", "vfs", "load", "assets", "c")
# What a module that is not a layer may use besides itself, and which layers may use it.
BESIDE = {"decoders": ("base", "trace")}
USES_BESIDE = {"load": ("decoders",), "c": ("decoders",)}
# Folders of include/overture with headers for programs that use another library too, the standard
# library's streams among them, or one apart from the modules. They may use all modules, and no
# module uses them.
ADAPTERS = ("sdl", "streams", "report", "sounds", "loaders")

# The folders inside a module, from low to high: each may include from those before it, those with a
# bar between them not from each other. A dot is the module's own folder.
FOLDERS = {
    "src/base": ". system threads",
    "src/jobs": "sleep|idle queues pool graph|.",
    "src/io": "files|unpack schedule queue back_ends .",
    "src/archives": "names . tree tables iso|zip|seven_zip tar",
    "src/vfs": "watch|mounts tree .",
    "compat/physfs": ". system io|search storage files api",
    "report": "words model page .",
    "sounds": "ring codecs .",
    "loaders": "images|textures .",
    "cli": "system terminal mounts report|writing compare page games commands .",
}

# Sources without a tests/<module>/<name>_test.cpp, and what tests them instead.
POOL = "one piece of the thread pool: thread_pool_test, wake_test, group_wait_test"
TREE = "one piece of the file_system: file_system_test"
ZIP = "one piece of the ZIP reader: zip_test, hostile_zip_test"
SEVEN_ZIP = "one piece of the 7z reader: seven_zip_test"
TABLE = "one of the plain tables: plain_table_test tests all of them"
NO_TEST_OF_ITS_OWN = {
    "src/base/system/beneath_linux.cpp": "os_test.cpp and os_linux_test.cpp",
    "src/base/system/file_attributes_linux.cpp": "os_linux_test.cpp",
    "src/base/system/link_target_posix.cpp": "os_linux_test.cpp",
    "src/base/system/link_target_windows.cpp": "tells nothing",
    "src/archives/seven_zip/bcj2.cpp": "a step of a chain: unpack_chain_test",
    "src/archives/seven_zip/bzip2_source.cpp": "a step of a chain: unpack_chain_test",
    "src/archives/seven_zip/seven_zip_aes.cpp": "a step of a chain: unpack_chain_test",
    "src/archives/seven_zip/seven_zip_aes_absent.cpp": "only says no",
    "src/archives/seven_zip/seven_zip_blocks.cpp": "seven_zip_test, unpack_chain_test",
    "src/base/system/file_handles_windows.cpp": "os_test, os_writing_test, os_windows_test",
    "src/base/system/thread_event_windows.cpp": "every read waits for one: os_test",
    "src/base/threads/thread_generic.cpp": "for systems without a file of their own",
    "src/base/contracts.cpp": "what is said of misuse: tests/contracts",
    "src/base/threads/shared_state.cpp": "shared by copies of Overture: tests/copies",
    "src/decoders/flac_absent.cpp": "where libFLAC is missing: no decoder",
    "src/decoders/mp3_absent.cpp": "where libmpg123 is missing: no decoder",
    "src/decoders/model.cpp": "what a decoded model has: md3_test",
    "src/decoders/webp_absent.cpp": "where libwebp is missing: no decoder",
    "src/c/asset_groups.cpp": "tests/c/assets.c",
    "src/sync/object_use.cpp": "what is said of misuse: tests/contracts",
    "src/io/files/descriptor_limit_generic.cpp": "a constant",
    "src/io/files/descriptor_limit_windows.cpp": "a constant",
    "src/io/back_ends/reads_windows.cpp": "read_backends_test",
    "src/io/files/descriptor_limit_linux.cpp": "handle_cache_test",
    "src/io/files/handle_cache_readers.cpp": "handle_cache_test, file_access_test",
    "src/io/schedule/position_index.cpp": "an index of the store: request_store_test",
    "src/io/back_ends/reads_blocking.cpp":
        "threads that serve a queue: read_bundles_test, read_ahead_test",
    "src/io/schedule/packed_item.cpp": "one block of memory: unpack_queue_test",
    "src/io/queue/read_core_tags.cpp": "changes by tag and source: read_core_test, read_gates_test",
    "src/io/schedule/read_operation.cpp": "what is read together: read_core_test",
    "src/io/back_ends/reads_uring_absent.cpp": "only says no",
    "src/io/back_ends/reads_simulated.cpp":
        "the queue on a simulated disk: read_core_test, random_run_test",
    "src/load/admission.cpp": "which file begins next: loader_test, interleave/loader_test",
    "src/load/decode_stage.cpp": "one stage: pipeline_test, decode_memory_test",
    "src/load/file_read.cpp": "what is under read_file(): read_file_test",
    "src/load/stage_times.cpp": "what a file's stages took: pipeline_test, scope_test",
    "src/load/stages.cpp": "the stages: pipeline_test",
    "src/jobs/job_batch.cpp": "full_queue_test, bad_luck_test",
    "src/jobs/pool/forks.cpp": "parallel calls: fork_test, thread_pool_test",
    "src/jobs/pool/job_runner.cpp": "runs and drops jobs: thread_pool_test, full_queue_test",
    "src/jobs/queues/pool_slots.cpp": POOL,
    "src/jobs/pool/pool_state.cpp": POOL,
    "src/jobs/pool/running_job.cpp": "waits that cannot end, and what a job throws: bad_luck_test",
    "src/jobs/pool/waiter.cpp": "waits for a group: group_wait_test",
    "src/jobs/pool/worker.cpp": "wake_test, wake_policy_test; what it decides: idle_test",
    "src/jobs/queues/job_intake.cpp": "what a submit does: thread_pool_test, full_queue_test",
    "src/jobs/queues/job_queues.cpp": "where threads find jobs: group_wait_test, priority_test",
    "src/jobs/sleep/parking.cpp": POOL,
    "src/assets/counts.cpp": "memory_test",
    "src/assets/file_fetch.cpp": "asset_store_test",
    "src/assets/slot_table.cpp": "asset_store_test",
    "src/assets/store_asks.cpp": "asset_store_test, order_test",
    "src/assets/store_core.cpp": "asset_store_test, bad_luck_test",
    "src/assets/store_lives.cpp": "life_test says what it carries out; memory_test what it counts",
    "src/assets/store_reading.cpp": "order_test, memory_test",
    "src/assets/store_reload.cpp": "reload_test",
    "src/assets/store_report.cpp": "asset_store_test, soft_asset_test, record_test",
    "src/assets/store_trace.cpp": "trace_test; what it records: asset_wait_test",
    "src/assets/store_values.cpp": "asset_store_test, stress_test",
    "src/text/cursor.cpp": "tokens: read_test, fuzz/text.cpp",
    "src/text/index.cpp": "splitting a text into pages: read_test",
    "src/text/save_read.cpp": "the reading side of saves: save_test",
    "src/text/save_write.cpp": "the writing side of saves: save_test",
    "src/text/string.cpp": "quoted strings: style_test, read_test",
    "src/archives/tree/archive_links.cpp": "zip_links_test",
    "src/archives/tree/linked_folders.cpp": "zip_links_test",
    "src/archives/iso/rock_ridge.cpp": "iso_test",
    "src/archives/iso/zisofs.cpp": "iso_test",
    "src/vfs/mounts/fold_names.cpp": "case-insensitive trees: case_fold_test",
    "src/vfs/mounts/mount.cpp": "lookup_test, the model in scan_mount_test",
    "src/vfs/watch/folder_events_generic.cpp": "only says no",
    "src/vfs/open_stdio_generic.cpp": "only says no",
    "src/vfs/mounts/removal_markers.cpp": "removal_test",
    "src/vfs/tree/live_pages.cpp": "the memory of an index: live_index_test, mount_table_test",
    "src/vfs/tree/lookup_hit.cpp":
        "merges what was written with what is listed: written_names_test",
    "src/vfs/tree/tree_merge.cpp": "lookup_test, the model in scan_mount_test",
    "src/vfs/packed_data.cpp": "file_reader_test",
    "src/vfs/read_all.cpp": TREE,
    "src/vfs/writing.cpp": "file_writer_test",
    "src/archives/formats.cpp": "the table of formats: folder_test, zip_test, plain_table_test",
    "src/archives/archive.cpp": ZIP,
    "src/archives/archive_builder.cpp": "what all formats need: zip_test, plain_table_test",
    "src/archives/zip/zip_directory.cpp": ZIP,
    "src/archives/zip/zip_finder.cpp": "end records: hostile_zip_test",
    "src/archives/zip/zip_record.cpp": ZIP,
    "src/archives/zip/zip_pieces.cpp": "zip_builder_test",
    "src/archives/names/decode_name.cpp": "entry_name_test",
    "src/base/system/cp932_generic.cpp": "only says no",
    "src/archives/zip/zip_cipher.cpp": "zip_decrypter_test",
    "src/archives/seven_zip/lzma_chain.cpp": SEVEN_ZIP,
    "src/archives/seven_zip/seven_zip_coders.cpp": SEVEN_ZIP,
    "src/archives/seven_zip/seven_zip_header.cpp": SEVEN_ZIP,
    "src/archives/tables/rofs_block.cpp": "rofs_test",
    "src/archives/tar/packed_tar.cpp": "tar_test",
    "src/archives/tar/tar_parts.cpp": "tar_test",
    "src/c/decode.cpp": "one decoded file: tests/c/assets_test.cpp",
    "src/c/diff.cpp": "comparing trees: tests/c/check_test.cpp",
    "src/c/files.cpp": "reading and writing: tests/c/vfs_test.cpp",
    "src/c/store.cpp": "the asset store: tests/c/assets_test.cpp",
    "src/archives/tables/chasm.cpp": TABLE,
    "src/archives/tables/gob.cpp": TABLE,
    "src/archives/tables/grp.cpp": TABLE,
    "src/archives/tables/hog.cpp": TABLE,
    "src/archives/tables/lab.cpp": TABLE,
    "src/archives/tables/lfd.cpp": TABLE,
    "src/archives/tables/mvl.cpp": TABLE,
    "src/archives/tables/pak.cpp": TABLE,
    "src/archives/tables/pod.cpp": TABLE,
    "src/archives/tables/slb.cpp": TABLE,
    "src/archives/tables/vdf.cpp": TABLE,
}
