#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Shows scenes, good and hostile, in examples/15_gltf_viewer: gltf_viewer.py PROGRAM DATA CASE

DATA is the folder with the scene of the example.
"""

import base64
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TIME_LIMIT_S = 60  # it takes a fraction of a second
JSON, BIN = 0x4E4F534A, 0x004E4942


class Box:
    """A copy of the example's data to change."""

    def __init__(self, program, data, folder):
        self.program, self.folder = program, pathlib.Path(folder) / "data"
        shutil.copytree(data, self.folder)
        self.scene = json.loads((self.folder / "room.gltf").read_text())
        self.buffer = (self.folder / "room.bin").read_bytes()

    def show(self, path="room.gltf", code=0, within=()):
        place = self.folder.joinpath(path)
        if not place.exists():
            place.write_text(json.dumps(self.scene))
        done = subprocess.run([self.program, self.folder, *within, path], text=True,
                              capture_output=True, timeout=TIME_LIMIT_S)  # fmt: skip
        assert done.returncode == code, done
        return done

    def fails(self, *reasons, path="changed.gltf"):
        done = self.show(path, code=1)
        for reason in reasons:
            assert reason in done.stderr, (reason, done)
        assert "tinygltf::" not in done.stderr and "threw" not in done.stderr, done
        return done

    def as_glb(self, scene, binary):
        text = json.dumps(scene).encode()
        text += b" " * (-len(text) % 4)
        binary += bytes(-len(binary) % 4)
        size = 12 + 8 + len(text) + 8 + len(binary)
        return (b"glTF" + struct.pack("<IIII", 2, size, len(text), JSON) + text
                + struct.pack("<II", len(binary), BIN) + binary)  # fmt: skip

    def glb(self):
        """The scene in one file, with its image in a view."""
        image = (self.folder / "textures" / "floor tiles.png").read_bytes()
        at = len(self.buffer)
        scene = json.loads(json.dumps(self.scene))
        scene["buffers"] = [{"byteLength": at + len(image)}]
        scene["bufferViews"].append({"buffer": 0, "byteOffset": at, "byteLength": len(image)})
        view = len(scene["bufferViews"]) - 1
        scene["images"][0] = {"bufferView": view, "mimeType": "image/png"}
        return scene, self.buffer + image


LAST = """  floor: 2 triangles, tiles (1.00 1.00 1.00), texture 16 x 16
  crate: 12 triangles, sign (1.00 1.00 1.00), texture 4 x 4
  crate: 12 triangles, sign (1.00 1.00 1.00), texture 4 x 4
  lamp: 12 triangles, brass (0.80 0.60 0.20)
"""


def textures_sharpen_one_level_in_each_frame(box):
    said = box.show().stdout
    sizes = re.findall(r"floor.* texture (\d+) x", said)
    assert sizes == sorted(sizes, key=int) and set(sizes) == {"1", "2", "4", "8", "16"}, said
    assert said.endswith(LAST), said


def one_file_holds_everything(box):
    (box.folder / "room.glb").write_bytes(box.as_glb(*box.glb()))
    for other in ("room.gltf", "room.bin", "textures"):
        place = box.folder / other
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    assert box.show("room.glb").stdout.endswith(LAST)


def buffers_may_be_data(box):
    box.scene["buffers"][0]["uri"] = (
        "data:application/octet-stream;base64," + base64.b64encode(box.buffer).decode()
    )
    (box.folder / "room.bin").unlink()
    assert box.show("changed.gltf").stdout.endswith(LAST)


def files_beside_it_and_above_it_are_found(box):
    (box.folder / "scenes").mkdir()
    box.scene["buffers"][0]["uri"] = "../room.bin"
    box.scene["images"][0]["uri"] = "./../scenes/../textures/floor%20tiles.png"
    assert box.show("scenes/changed.gltf").stdout.endswith(LAST)


def a_missing_image_leaves_the_rest(box):
    box.scene["images"][0]["uri"] = "none.png"
    done = box.fails("none.png: ")
    assert done.stdout.endswith(LAST.replace(", texture 16 x 16", "")), done


def a_missing_or_short_buffer_is_said(box):
    box.scene["buffers"][0]["uri"] = "none.bin"
    box.fails("changed.gltf needs none.bin: ")
    (box.folder / "room.bin").write_bytes(box.buffer[:-4])
    assert "mismatch" in box.show(code=1).stderr


def a_gltf_that_names_itself_is_refused(box):
    box.scene["buffers"][0]["uri"] = "textures/../changed.gltf"
    box.fails("changed.gltf: the glTF names itself as a buffer")
    box.scene["buffers"][0]["uri"] = "room.bin"
    box.scene["images"][1] = {"uri": "./image.gltf"}
    box.fails("image.gltf: the glTF names itself as an image", path="image.gltf")


def files_outside_of_the_tree_are_refused(box):
    for number, uri in enumerate(("../secret.bin", "/etc/../../passwd", "%2e%2e/secret.bin",
                                  "C:\\secret.bin", "room.bin%00")):  # fmt: skip
        (box.folder.parent / "secret.bin").write_bytes(box.buffer)
        box.scene["buffers"][0]["uri"] = uri
        box.fails(f"{number}.gltf", path=f"{number}.gltf")


def a_truncated_glb_is_said(box):
    whole = box.as_glb(*box.glb())
    for size in (4, 11, 19, 20, 400, len(whole) - 1):
        (box.folder / f"{size}.glb").write_bytes(whole[:size])
        box.fails("the GLB is cut off", path=f"{size}.glb")
    long = whole[:12] + struct.pack("<I", 0xFFFFFFFF) + whole[16:]
    (box.folder / "long.glb").write_bytes(long)
    box.fails("longer than the file", path="long.glb")


def a_part_that_is_not_there_is_said(box):
    box.scene["nodes"].append({"mesh": 7})
    done = box.fails("changed.gltf#mesh7: the glTF has no such mesh")
    assert done.stdout.endswith(LAST), done


def what_lies_outside_of_its_buffer_is_refused(box):
    def change(kind, index, **values):
        scene, binary = box.glb()
        scene[kind][index].update(values)
        return scene, binary

    huge = 2**63 - 1
    for number, (scene, binary) in enumerate((
            change("bufferViews", 0, byteOffset=huge), change("bufferViews", 0, byteLength=huge),
            change("bufferViews", 4, byteOffset=2**31), change("bufferViews", 4, byteLength=2**31),
            change("bufferViews", 4, buffer=7), change("accessors", 0, count=9),
            change("accessors", 0, count=huge), change("accessors", 0, byteOffset=huge),
            change("accessors", 0, bufferView=70), change("accessors", 1, componentType=5126),
            change("accessors", 2, count=3), change("accessors", 2, type="SCALAR"),
            change("images", 0, bufferView=70), change("images", 0, bufferView=-70),
            change("materials", 0, pbrMetallicRoughness={"baseColorTexture": {"index": 7}}),
            change("textures", 0, source=7))):  # fmt: skip
        (box.folder / f"{number}.glb").write_bytes(box.as_glb(scene, binary))
        box.fails(f"{number}.glb", path=f"{number}.glb")


def what_is_no_gltf_is_refused(box):
    deep = 300_000
    box.scene["images"][1]["uri"] = "data:image/png;base64,"
    box.fails("empty.gltf: tinygltf cannot read this glTF", path="empty.gltf")
    box.scene["images"][1]["uri"] = "data:image/png;base64,QUJD"
    box.fails("text.gltf: not an image", path="text.gltf")
    for number, text in enumerate(("", "{", "[]", "null", "glTF", "{\"buffers\":7}",
                                   "{\"buffers\":[7]}", "{\"asset\":{}}",
                                   "{\"buffers\":[{\"uri\":\"data:,\"}]}",
                                   '{"asset":{"version":"2.0"},"buffers":[{"byteLength":0,'
                                   '"uri":"data:application/octet-stream;base64,"}]}',
                                   '{"asset":{"version":"2.0"},"nodes":[7]}',
                                   '{"asset":{"version":"2.0","extras":' + "[" * deep + "]" * deep
                                   + "}}")):  # fmt: skip
        (box.folder / f"{number}.gltf").write_text(text)
        box.fails(f"{number}.gltf", path=f"{number}.gltf")


def main():
    program, data, case = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        globals()[case](Box(program, data, folder))


if __name__ == "__main__":
    main()
