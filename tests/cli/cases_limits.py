# SPDX-License-Identifier: Zlib
"""The command takes memory and time in proportion, whatever it is given."""

import functools
import lzma
import os
import pathlib
import resource
import struct
import subprocess
import zlib

from harness import TIME_LIMIT_S, case

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "fuzz" / "corpus"
MIB = 1 << 20
BUDGET_MIB = 16
SLACK_MIB = 48  # buffers that are kept, read threads, pages that the allocator has not returned
CPU_LIMIT_S = 60  # beside busy processes, and with a slow disk
LONG = "OVERTURE_LONG_TESTS" in os.environ


def spent(box, *words):
    """Runs the command. Returns its exit code, the most memory it had in MiB, and CPU seconds."""
    return spent_by(box, box.overture, *words)


def spent_by(box, *words):
    # With an arena for each thread glibc may keep what a codec has given back in each of them: up
    # to 35 MiB of a damaged header, as the threads happen to meet. That is not the command's.
    env = {**os.environ, "MALLOC_ARENA_MAX": "1"}
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(
            [*map(str, words)], cwd=box.folder, stdout=nowhere, stderr=nowhere, env=env
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime


def load(box, *words):
    return spent(box, "load", "--threads", 6, "--budget", BUDGET_MIB, *words)


@functools.cache
def at_rest(box):
    box.zip("small.zip", {"a.txt": b"a"})
    return load(box, "small.zip")[1]


# --- Archives -------------------------------------------------------------------------------------

LZMA2 = b"\x21\x21\x01\x08"  # flags, method, a dictionary of 64 KiB


def number(value):
    return bytes([value]) if value < 128 else b"\xff" + struct.pack("<Q", value)


def packed(data):
    filters = [
        {
            "id": lzma.FILTER_LZMA2,
            "dict_size": 1 << 16,
            "mode": lzma.MODE_FAST,
            "mf": lzma.MF_HC3,
            "nice_len": 273,
            "depth": 1,
        }
    ]
    return lzma.compress(data, format=lzma.FORMAT_RAW, filters=filters)


def streams(packed_bytes, unpacked_bytes):
    return b"".join(
        (
            b"\x06\x00\x01\x09" + number(packed_bytes) + b"\x00",
            b"\x07\x0b\x01\x00\x01" + LZMA2 + b"\x0c" + number(unpacked_bytes) + b"\x00",
        )
    )


def archive(body, header):
    start = struct.pack("<QQI", len(body), len(header), zlib.crc32(header))
    mark = b"7z\xbc\xaf\x27\x1c\x00\x04" + struct.pack("<I", zlib.crc32(start))
    return mark + start + body + header


def solid_7z(large_bytes):
    """One block: a large file of zeros, and one of two bytes."""
    block = packed(bytes(large_bytes) + b"ok")
    names = "".join(name + "\0" for name in ("zeros.bin", "two.txt")).encode("utf-16-le")
    header = b"".join(
        (
            b"\x01\x04" + streams(len(block), large_bytes + 2),
            b"\x08\x0d\x02\x09" + number(large_bytes) + b"\x00\x00",
            b"\x05\x02\x11" + number(len(names) + 1) + b"\x00" + names + b"\x00\x00",
        )
    )
    return archive(block, header)


def packed_header_7z(header_bytes):
    block = packed(bytes(header_bytes))
    return archive(block, b"\x17" + streams(len(block), header_bytes) + b"\x00")


def zip_of_packed(name, method, packed_bytes, crc, size):
    """A ZIP archive with one file, of data that is compressed already."""
    name = name.encode()
    fields = struct.pack(
        "<HHHHHIIIHH", 45, 0, method, 0, 33, crc, len(packed_bytes), size, len(name), 0
    )
    local = b"PK\x03\x04" + fields + name
    entry = b"PK\x01\x02" + struct.pack("<H", 45) + fields + bytes(14) + name
    place = len(local) + len(packed_bytes)
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), place, 0)
    return local + packed_bytes + entry + end


def zstd_zeros(mebibytes, window_log=17):
    """Zeros as zstd packs them: each four bytes make 128 KiB."""
    repeated = 128 << 10
    block = struct.pack("<I", repeated << 3 | 2)[:3] + b"\0"
    last = struct.pack("<I", repeated << 3 | 3)[:3] + b"\0"
    frame = b"\x28\xb5\x2f\xfd\xc0" + bytes([(window_log - 10) << 3])
    frame += struct.pack("<Q", mebibytes * MIB)
    return frame + block * (mebibytes * 8 - 1) + last


def crc_of_zeros(mebibytes):
    crc = 0
    for _ in range(mebibytes):
        crc = zlib.crc32(bytes(MIB), crc)
    return crc


def white_png(width, height):
    """An image of one bit a pixel."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = (b"\0" + b"\xff" * (width // 8)) * height
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", header),
            chunk(b"IDAT", zlib.compress(rows)),
            chunk(b"IEND", b""),
        )
    )


# --- Cases ----------------------------------------------------------------------------------------


def check_limits(box, found, codes, allowed, what):
    code, memory, cpu = found
    assert code in codes, (what, code)
    assert memory < at_rest(box) + allowed, (what, memory)
    assert cpu < CPU_LIMIT_S, (what, cpu)


@case("unsanitized")
def limits_a_packed_7z_header(box):
    box.write("header.7z", packed_header_7z((1024 if LONG else 256) * MIB))
    for command in ("ls", "check"):
        check_limits(box, spent(box, command, "header.7z"), (3,), 16, command)


@case("unsanitized")
def limits_solid_blocks_to_one_beyond_the_budget(box):
    block_mib = 1000 if LONG else 96
    box.write("solid.7z", solid_7z(block_mib * MIB))
    mounts = [word for i in range(5) for word in ("--mount-point", f"m{i}", "solid.7z")]
    allowed = BUDGET_MIB + block_mib + SLACK_MIB
    check_limits(box, load(box, "--allow-bombs", *mounts), (0,), allowed, "load")


@case("unsanitized")
def refuses_what_unpacks_out_of_all_proportion(box):
    box.write("solid.7z", solid_7z((1000 if LONG else 96) * MIB))
    box.write("zstd.zip", zip_of_packed("zeros.bin", 93, zstd_zeros(4000), 0, 4000 * MIB))
    zip_of_zeros(box.folder / "deflate.zip", 40 << 10, claimed=True)
    bombs = {"solid.7z": "two.txt", "zstd.zip": "zeros.bin", "deflate.zip": "zeros.bin"}
    for name, file in bombs.items():
        check_limits(box, load(box, name), (1,), BUDGET_MIB + SLACK_MIB, name)
        for words in (("load",), ("check",), ("cat", file), ("extract", "--to", name + ".out")):
            refused = box.run(*words, name)
            assert refused.code == 1, refused
            told = refused.out + refused.err
            assert file in told and "1,100 times its packed size" in told, refused
            assert "if you trust it, read it with --allow-bombs" in told, refused
        assert box.run("pack", name + ".pack", name).code == 1, name
    trusted = box.run("cat", "two.txt", "--allow-bombs", "solid.7z")
    assert (trusted.code, trusted.out) == (0, "ok"), trusted


@case("unsanitized")
def limits_a_file_that_no_decoder_wants(box):
    mebibytes = 4000 if LONG else 300
    zeros = zstd_zeros(mebibytes)
    crc = crc_of_zeros(mebibytes)
    box.write("zstd.zip", zip_of_packed("zeros.bin", 93, zeros, crc, mebibytes * MIB))
    box.zip("deflate.zip", {"zeros.bin": bytes(300 * MIB)})
    for archive in ("zstd.zip", "deflate.zip"):
        words = ("--allow-bombs", archive)
        check_limits(box, load(box, *words), (0,), BUDGET_MIB + SLACK_MIB, archive)


@case()
def limits_the_window_of_a_file_that_no_decoder_wants(box):
    zeros = zstd_zeros(160, window_log=30)
    archive = zip_of_packed("zeros.bin", 93, zeros, crc_of_zeros(160), 160 * MIB)
    box.write("window.zip", archive)
    refused = box.run("load", "--allow-bombs", "--budget", str(BUDGET_MIB), "window.zip")
    assert refused.code == 1, refused
    assert "zstd window" in refused.out, refused
    assert "allow more memory" in refused.out, refused
    loaded = box.run("load", "--allow-bombs", "--budget", "256", "window.zip")
    assert loaded.code == 0, loaded


@case("unsanitized")
def a_load_needs_few_descriptors(box):
    for i in range(60):
        box.zip(f"archives/{i}.zip", {f"{i}/{k}.txt": bytes(5000 * k) for k in range(5)})
        box.write(f"loose/{i}.bin", bytes(3 * MIB))
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
    for words in (("load", "--threads", "8"), ("load", "--io", "uring"), ("check",)):
        process = box.start(*words, "loose", "--archives-in", "archives", preexec_fn=limit)
        out, err = process.communicate(timeout=TIME_LIMIT_S)
        assert process.returncode == 0, (words, out, err)


@case("unsanitized")
def refused_memory_is_not_called_damage(box):
    zeros = zstd_zeros(160, window_log=27)
    box.write("zstd.zip", zip_of_packed("zeros.bin", 93, zeros, crc_of_zeros(160), 160 * MIB))
    threads = ("--threads", "1", "--io-threads", "1")
    words = ("load", "--allow-bombs", *threads, "--budget", BUDGET_MIB, "zstd.zip")
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (120 * MIB, 120 * MIB))
    process = box.start(*words, preexec_fn=limit)
    out, err = process.communicate(timeout=CPU_LIMIT_S)
    assert process.returncode == 5, (out, err)
    assert b"zeros.bin (zstd.zip): unpack: out of memory" in out and b"damaged" not in out, out


@case("unsanitized")
def limits_images_out_of_proportion(box):
    image = white_png(32768, 4096)
    box.zip("images.zip", {f"{i}.png": image for i in range(20)})
    check_limits(box, load(box, "images.zip"), (1,), BUDGET_MIB + SLACK_MIB, "load")


def zip_of_zeros(path, mebibytes, claimed=False):
    """A ZIP archive with a file of zeros of any size, without compressing each of them. Those that
    are only `claimed` are not there."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    each = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    unknown = 0xFFFFFFFF  # in the extra field
    crc = 0 if claimed else crc_of_zeros(mebibytes)
    fields = struct.pack("<HHHHHIIIHH", 45, 0, 8, 0, 33, crc, unknown, unknown, 9, 20)
    sizes = struct.pack("<HHQQ", 1, 16, mebibytes * MIB, mebibytes * len(each) + 2)
    with path.open("wb") as file:
        file.write(b"PK\x03\x04" + fields + b"zeros.bin" + sizes)
        if claimed:
            file.seek(mebibytes * len(each), os.SEEK_CUR)
        for _ in range(0 if claimed else mebibytes):
            file.write(each)
        file.write(b"\x03\x00")  # the last block, empty
        place = file.tell()
        record = b"PK\x01\x02" + struct.pack("<H", 45) + fields + bytes(14) + b"zeros.bin" + sizes
        end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(record), place, 0)
        file.write(record + end)


@case("unsanitized", "long")
def files_above_4_gib_are_printed_and_extracted_in_little_memory(box):
    mebibytes = 4097
    zip_of_zeros(box.folder / "big.zip", mebibytes)
    os.truncate(box.write("base/sparse.bin", ""), mebibytes * MIB)
    for mount, name in (("big.zip", "zeros.bin"), ("base", "sparse.bin")):
        words = ("extract", "--overwrite", "--to", "out", mount)
        check_limits(box, spent(box, *words), (0,), SLACK_MIB, words)
        assert (box.folder / "out" / name).stat().st_size == mebibytes * MIB, name
        check_limits(box, spent(box, "cat", name, mount), (0,), SLACK_MIB, name)


# As load, and if it takes long enough as the other commands that read everything.
def limits_all_commands(box, path, allowed):
    codes = (0, 1, 2, 3)
    check_limits(box, load(box, path), codes, allowed, path)
    if not LONG:
        return
    for words in (("check",), ("ls", "-l"), ("extract", "--overwrite", "--to", "out")):
        check_limits(box, spent(box, *words, path), codes, 256 + SLACK_MIB, (words, path))


@case("unsanitized", "slow")
def limits_every_seed_of_the_fuzzers(box):
    extensions = ("png", "jpg", "tga", "dds", "ogg", "opus", "wav", "md3", "txt")
    streams = {"inflate": [8], "unpack": [8, 93]}
    packs = box.folder / "cache" / "overture" / "boost"
    for file in sorted(CORPUS.glob("*/*")):
        kind = file.parent.name
        data = file.read_bytes()
        for extension in extensions if kind in ("decoders", "text", "save") else ():
            box.write(f"decoders/{kind}.{file.name}.{extension}", data)
        for method in streams.get(kind, ()):
            stream = data[4:] if kind == "unpack" else data
            size = len(stream) * (1032 if method == 8 else 32768)
            name = f"{kind}.{file.name}.{method}.zip"
            box.write(name, zip_of_packed("x.bin", method, stream, 0, size))
            limits_all_commands(box, name, BUDGET_MIB + SLACK_MIB)
        if kind == "start_pack":
            box.write(packs / f"{file.name}.pack", data[1:])
        elif kind not in ("decoders", "path", "text", *streams):
            limits_all_commands(box, file, BUDGET_MIB + SLACK_MIB)
    packs.chmod(0o700)
    words = ("env", f"XDG_CACHE_HOME={box.folder}/cache", box.overture, "boost", "verify")
    check_limits(box, spent_by(box, *words), (0, 1), SLACK_MIB, words)
    # The seeds with the largest headers may need 64 MiB each, one at a time beyond the budget.
    limits_all_commands(box, "decoders", BUDGET_MIB + 64 + SLACK_MIB)
