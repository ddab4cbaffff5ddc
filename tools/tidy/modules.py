"""What Overture is made of, for tidy.py: layers, the module of each public header, and sources
that others test."""

# The modules from low to high: each may use those before it.
LAYERS = ("base", "sync", "trace", "jobs", "text", "io", "vfs", "load")
# What a module that is no layer may use besides itself, and which layer may use it.
BESIDE = {"decoders": ("base", "trace")}
USES_BESIDE = {"load": ("decoders",)}

# The module to which each public header belongs. "top" may include everything.
HEADER_MODULE = {
    "allocator": "base",
    "atomic": "base",
    "blob": "base",
    "error": "base",
    "executor": "base",
    "function_ref": "base",
    "guards": "base",  # of the library in guards/, which uses nothing else
    "hash": "base",
    "limits": "base",
    "os": "base",
    "case_fold": "base",  # as path
    "case_fold_table": "base",
    "path": "base",  # a vocabulary, and constexpr: decoders look at names of files too
    "source_id": "base",
    "spin": "base",
    "thread": "base",
    "version": "base",
    "barricade": "sync",
    "countdown": "sync",
    "event_count": "sync",
    "future": "sync",
    "parking_word": "sync",
    "wait_observer": "sync",
    "timeline": "trace",
    "job": "jobs",
    "coroutine": "jobs",
    "blocking_scope": "jobs",
    "job_batch": "jobs",
    "job_graph": "jobs",
    "single_threaded": "jobs",
    "job_system": "jobs",
    "parallel": "jobs",
    "thread_pool": "jobs",
    "paged": "jobs",  # a container whose pages a job system shares out
    "text_fields": "text",
    "text_cursor": "text",
    "text_follow": "text",
    "text_format": "text",
    "text_number": "text",
    "text_pages": "text",
    "text_read": "text",
    "text_reflect": "text",
    "text_save": "text",
    "text_style": "text",
    "text_write": "text",
    "wake_policy": "jobs",
    "wake_profile": "jobs",
    "file_watch": "vfs",
    "handle_cache": "io",
    "read_queue": "io",
    "file_reader": "vfs",
    "simulated_disc": "io",
    "file_system": "vfs",
    "file_writer": "vfs",
    "unpack": "io",
    "decoders": "decoders",
    "model": "decoders",
    "load": "load",
    "overture": "top",
}

# Sources without a tests/<module>/<name>_test.cpp, and what tests them instead.
POOL = "one piece of the thread pool: thread_pool_test, wake_test, group_wait_test"
TREE = "one piece of the file_system: file_system_test"
ZIP = "one piece of the ZIP reader: zip_test, hostile_zip_test"
SEVEN_ZIP = "one piece of the 7z reader: seven_zip_test"
TABLE = "one of the plain tables: plain_table_test tests all of them"
NO_TEST_OF_ITS_OWN = {
    "src/io/descriptor_limit_generic.cpp": "a constant",
    "src/io/descriptor_limit_linux.cpp": "handle_cache_test",
    "src/io/place_index.cpp": "an index of the store: request_store_test",
    "src/io/read_core_reads.cpp": "the other half of read_core.cpp: read_core_test",
    "src/io/packed_item.cpp": "one block of memory: unpack_desk_test",
    "src/io/read_operation.cpp": "what is read together: read_core_test",
    "src/io/reads_uring_absent.cpp": "nothing but the answer no",
    "src/io/reads_simulated.cpp": "the queue on a simulated disc: read_core_test, random_run_test",
    "src/jobs/parking.cpp": POOL,
    "src/jobs/pool_queues.cpp": POOL,
    "src/jobs/pool_state.cpp": POOL,
    "src/text/cursor.cpp": "the words of a text: read_test, fuzz/text.cpp",
    "src/text/index.cpp": "where a text is split: read_test",
    "src/text/save_read.cpp": "the reading side of saves: save_test",
    "src/text/save_write.cpp": "the writing side of saves: save_test",
    "src/text/string.cpp": "strings in quotes: style_test, read_test",
    "src/jobs/pool_wait.cpp": POOL,
    "src/jobs/running_job.cpp": "what a job may not wait for, and what it throws: bad_luck_test",
    "src/vfs/fold_names.cpp": "trees without regard to case: case_fold_test",
    "src/vfs/live_index.cpp": "the model in fill_mount_test, configuration_test",
    "src/vfs/mount.cpp": "lookup_test, the model in fill_mount_test",
    "src/vfs/folder_events_generic.cpp": "nothing but the answer no",
    "src/vfs/folder_events_linux.cpp": "file_watch_test",
    "src/vfs/removal_markers.cpp": "removal_test",
    "src/vfs/path_owner.cpp": "what was written among what is listed: written_names_test",
    "src/vfs/tree_merge.cpp": "lookup_test, the model in fill_mount_test",
    "src/vfs/data_place.cpp": "file_reader_test",
    "src/vfs/read_all.cpp": TREE,
    "src/vfs/writing.cpp": "file_writer_test",
    "src/vfs/formats/formats.cpp": "the table of formats: folder_test, zip_test, plain_table_test",
    "src/vfs/formats/archive.cpp": ZIP,
    "src/vfs/formats/zip_directory.cpp": ZIP,
    "src/vfs/formats/zip_cipher.cpp": "zip_decrypter_test",
    "src/vfs/formats/lzma_chain.cpp": SEVEN_ZIP,
    "src/vfs/formats/seven_zip_coders.cpp": SEVEN_ZIP,
    "src/vfs/formats/seven_zip_header.cpp": SEVEN_ZIP,
    "src/vfs/formats/rofs_block.cpp": "rofs_test",
    "src/vfs/formats/chasm.cpp": TABLE,
    "src/vfs/formats/gob.cpp": TABLE,
    "src/vfs/formats/grp.cpp": TABLE,
    "src/vfs/formats/hog.cpp": TABLE,
    "src/vfs/formats/lab.cpp": TABLE,
    "src/vfs/formats/lfd.cpp": TABLE,
    "src/vfs/formats/mvl.cpp": TABLE,
    "src/vfs/formats/pak.cpp": TABLE,
    "src/vfs/formats/pod.cpp": TABLE,
    "src/vfs/formats/slb.cpp": TABLE,
    "src/vfs/formats/vdf.cpp": TABLE,
    "src/vfs/formats/wad.cpp": TABLE,
}
