"""The command takes memory and time in proportion, whatever it is given."""

import lzma
import os
import pathlib
import struct
import subprocess
import zlib

from harness import case

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "fuzz" / "corpus"
MIB = 1 << 20
BUDGET_MIB = 16
SLACK_MIB = 48  # buffers that are kept, read threads, pages that the allocator has not returned
CPU_LIMIT_S = 60  # beside busy processes, and with a slow disk


def spent(box, *words):
    """Runs the command. Returns its exit code, the most memory it had in MiB, and CPU seconds."""
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(
            [box.overture, *map(str, words)], cwd=box.folder, stdout=nowhere, stderr=nowhere
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime


def load(box, *words):
    return spent(box, "load", "--threads", 6, "--budget", BUDGET_MIB, *words)


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


@case("unsanitized")
def limits_a_packed_7z_header(box):
    box.write("header.7z", packed_header_7z(256 * MIB))
    code, memory, cpu = spent(box, "ls", "header.7z")
    assert code == 3, code
    assert memory < at_rest(box) + 16, memory
    assert cpu < CPU_LIMIT_S, cpu


@case("unsanitized")
def limits_solid_blocks_to_one_beyond_the_budget(box):
    block_mib = 96
    box.write("solid.7z", solid_7z(block_mib * MIB))
    mounts = [word for i in range(5) for word in ("--mount-point", f"m{i}", "solid.7z")]
    code, memory, cpu = load(box, *mounts)
    assert code == 0, code
    assert memory < at_rest(box) + BUDGET_MIB + block_mib + SLACK_MIB, memory
    assert cpu < CPU_LIMIT_S, cpu


@case("unsanitized")
def limits_a_file_that_no_decoder_wants(box):
    box.zip("zeros.zip", {"zeros.bin": bytes(300 * MIB)})
    code, memory, cpu = load(box, "zeros.zip")
    assert code == 0, code
    assert memory < at_rest(box) + BUDGET_MIB + SLACK_MIB, memory
    assert cpu < CPU_LIMIT_S, cpu


@case("unsanitized")
def limits_images_out_of_proportion(box):
    image = white_png(32768, 4096)
    box.zip("images.zip", {f"{i}.png": image for i in range(20)})
    code, memory, cpu = load(box, "images.zip")
    assert code == 1, code
    assert memory < at_rest(box) + BUDGET_MIB + SLACK_MIB, memory
    assert cpu < CPU_LIMIT_S, cpu


@case("unsanitized")
def limits_every_seed_of_the_fuzzers(box):
    allowed = at_rest(box) + BUDGET_MIB + SLACK_MIB
    extensions = ("png", "jpg", "tga", "dds", "ogg", "opus", "wav", "md3", "txt")
    for file in sorted(CORPUS.glob("*/*")):
        if file.parent.name == "decoders":
            for extension in extensions:
                box.write(f"decoders/{file.name}.{extension}", file.read_bytes())
            continue
        code, memory, cpu = load(box, file)
        assert code in (0, 1, 2, 3), (file, code)
        assert memory < allowed, (file, memory)
        assert cpu < CPU_LIMIT_S, (file, cpu)
    code, memory, cpu = load(box, "decoders")
    assert code in (0, 1), code
    assert memory < allowed, memory
    assert cpu < CPU_LIMIT_S, cpu
