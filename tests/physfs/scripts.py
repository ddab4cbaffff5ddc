# SPDX-License-Identifier: Zlib
"""The scripts for test_physfs, by name. Each runs in a folder with the zoo (zoo.py) in `zoo` and an
empty folder `w`."""

import zoo

NAMES = sorted({*zoo.TREE, *zoo.OTHER, *zoo.FLAT, *(name[:8] for name in zoo.FLAT)})
FOLDERS = ("/", "maps", "maps/deep", "Data", "sounds", "bare", "n", "n/3", "up", "to_folder")
ODD_NAMES = sorted(zoo.ODD) + [".dot"]
LINKS = ("to_file", "to_folder", "to_folder/one.map", "to_link", "up/to_file", "loop", "loop_a",
         "missing", "outside")
BAD_NAMES = ("", "/", "//", ".", "..", "./readme.txt", "../readme.txt", "maps/../readme.txt",
             "maps/./one.map", "maps//one.map", "/readme.txt", "//readme.txt", "readme.txt/",
             "readme.txt//", "maps/", "a:b", "a\\\\b", "maps/one.map/x", "readme.txt/x", "nowhere",
             "nowhere/x", "README.TXT", "MAPS/ONE.MAP", "...", "maps/...", "maps/..")
ABOUT_A_NAME = ("exists", "isdir", "issymlink", "stat", "getlastmodtime", "getrealdir")


def mount(name, point="/", append=1):
    # The program loses arguments after one in quotes.
    return f"mount {name} {point} {append}"


def ask(names, commands=ABOUT_A_NAME):
    return [f'{command} "{name}"' for name in names for command in commands]


def read(names):
    # Without "cat", which never ends where 3.0.2 opens a folder.
    return ask(names, ("filelength", "crc32"))


def look_into(name):
    return [mount(f"zoo/{name}"), "getlasterror", "getsearchpath", *ask(FOLDERS, ("ls",)),
            *ask(NAMES), *read(NAMES), f'unmount "zoo/{name}"', "getsearchpath"]


def write_folder(*commands):
    return ["setwritedir w", "getwritedir", mount("w"), *commands, "ls /"]


MEMBERS = ("loose", "over", "linked", "alias", "bare", "nothing.zip", "text.txt", "absent.zip",
           "stored.zip", "deflated.zip", "folders.zip", "other.zip", "comment.zip",
           "empty.zip", "many.zip", "links.zip", "bzip2.zip", "prefix.zip", "cut.zip",
           "damaged.zip", "zip64.zip", "secret.zip", "solid.7z", "apart.7z", "joliet.iso",
           "quake.pak", "cut.pak", "doom.wad", "build.grp",
           "cut.grp", "descent.hog", "movies.mvl", "iwar.slb", "gothic.vdf")
SCRIPTS = {f"look_into_{name.replace('.', '_')}": look_into(name) for name in MEMBERS}
SCRIPTS |= {
    "ask_the_library": ["getdirsep", "getuserdir", "getbasedir", "getwritedir", "getsearchpath",
                        "getlasterror", "getcdromdirs", "getprefdir some one"],
    "init_again": ["init x", "deinit", "init x", "getsearchpath", "deinit", "init x"],
    "ask_without_mounts": ask(("/", "readme.txt", "..")) + ["ls /", "crc32 readme.txt"],
    "bad_names_in_a_folder": [mount("zoo/loose"), *ask(BAD_NAMES), *read(BAD_NAMES),
                              *ask(BAD_NAMES, ("ls",))],
    "bad_names_in_a_zip": [mount("zoo/deflated.zip"), *ask(BAD_NAMES), *read(BAD_NAMES),
                           *ask(BAD_NAMES, ("ls",))],
    "bad_names_in_a_pak": [mount("zoo/quake.pak"), *ask(BAD_NAMES), *read(BAD_NAMES)],
    "bad_names_in_a_wad": [mount("zoo/doom.wad"), *ask(BAD_NAMES), *read(BAD_NAMES)],
    "odd_names_in_a_folder": [mount("zoo/odd"), "ls /", *ask(ODD_NAMES), *read(ODD_NAMES)],
    "odd_names_in_a_zip": [mount("zoo/odd.zip"), "ls /", *ask(ODD_NAMES), *read(ODD_NAMES)],
    "later_mounts_lose": [mount("zoo/stored.zip"), mount("zoo/other.zip"), mount("zoo/over"),
                          "getsearchpath", *ask(NAMES), *read(NAMES), *ask(FOLDERS, ("ls",))],
    "prepended_mounts_win": [mount("zoo/stored.zip"), mount("zoo/other.zip", append=0),
                             mount("zoo/over", append=0), "getsearchpath", *ask(NAMES),
                             *read(NAMES), *ask(FOLDERS, ("ls",))],
    "mount_twice": [mount("zoo/loose"), mount("zoo/loose", "/elsewhere"), "getsearchpath",
                    "getmountpoint zoo/loose", "unmount zoo/loose", "unmount zoo/loose"],
    "mount_at_points": [mount("zoo/loose", "a/b/c"), mount("zoo/stored.zip", "/a/zip/"),
                        mount("zoo/quake.pak", "a//pak"), mount("zoo/over", "a/../b"),
                        mount("zoo/bare", "a:b"), "getmountpoint zoo/loose",
                        "getmountpoint zoo/stored.zip", "getmountpoint zoo/over",
                        *ask(("/", "a", "a/b", "a/b/c", "a/zip", "a/pak", "a/b/c/readme.txt",
                              "a/zip/maps/one.map", "A/b", "a/nowhere", "a/b/c/nowhere")),
                        *ask(("/", "a", "a/b", "a/b/c", "a/zip", "a/pak", "A"), ("ls",)),
                        *read(("a/b/c/readme.txt", "a/zip/readme.txt", "a/b", "a"))],
    "mount_a_point_over_a_file": [mount("zoo/loose"), mount("zoo/over", "readme.txt"), "ls /",
                                  *ask(("readme.txt", "readme.txt/readme.txt")),
                                  *read(("readme.txt", "readme.txt/readme.txt"))],
    "mount_from_memory": ["mountmem zoo/deflated.zip m 1", "getsearchpath",
                          "getmountpoint zoo/deflated.zip", "ls m", *read(("m/readme.txt",)),
                          *ask(("m/readme.txt",)), "unmount zoo/deflated.zip", "ls m"],
    "mount_from_a_handle": [mount("zoo"), "mounthandle stored.zip h 1", "getsearchpath",
                            "ls h", *read(("h/readme.txt", "h/maps/two.map")),
                            *ask(("h/readme.txt",)), "unmount stored.zip", "ls h"],
    "links_forbidden": ["permitsymlinks 0", mount("zoo/linked"), mount("zoo/links.zip"),
                        "ls /", *ask(LINKS), *read(LINKS), "ls to_folder"],
    "links_permitted_in_a_folder": ["permitsymlinks 1", mount("zoo/linked"), "ls /", *ask(LINKS),
                                    *read(LINKS), "ls to_folder"],
    "links_permitted_in_a_zip": ["permitsymlinks 1", mount("zoo/links.zip"), "ls /", *ask(LINKS),
                                 *read(LINKS), "ls to_folder"],
    "passwords": [mount("zoo/secret.zip"), *read(("readme.txt", "readme.txt$secret",
                                                  "readme.txt$wrong", "maps/one.map$secret")),
                  *ask(("readme.txt$secret", "readme.txt"))],
    "buffers": ["setbuffer 1", mount("zoo/deflated.zip"), *read(NAMES), "setbuffer 4096",
                *read(NAMES), "setbuffer 0", *read(NAMES)],
    "write_without_a_folder": [mount("zoo/loose"), "write new.txt", "append new.txt", "mkdir d",
                               "delete readme.txt", "getlasterror"],
    "write_and_append": write_folder("write a.txt", "append a.txt", *read(("a.txt",)),
                                     "write d/a.txt", "mkdir d", "write d/a.txt", "ls d"),
    "write_bad_names": write_folder(
        *ask(BAD_NAMES, ("write", "append", "mkdir")),
        # 3.0.2 removes the write folder itself if its name is empty.
        *ask((name for name in BAD_NAMES if name.strip("/")), ("delete",))),
    "make_and_delete_folders": write_folder("mkdir a/b/c", "mkdir a/b", "write a/b/f",
                                            "mkdir a/b/f",
                                            "mkdir a/b/f/g", "delete a", "delete a/b/f",
                                            "delete a/b/c", "delete a/b", "delete a", "delete a"),
    "set_write_folders": ["setwritedir nowhere", "getwritedir", "setwritedir zoo/stored.zip",
                          "getwritedir", "setwritedir zoo/text.txt", "setwritedir w", "getwritedir",
                          "mkdir x", "setwritedir w/x", "getwritedir", "write in_x"],
    "write_next_to_an_archive": write_folder(mount("zoo/stored.zip"), mount("zoo/stored.zip", "/",
                                             0),
                                             "write readme.txt", *read(("readme.txt",)),
                                             "getrealdir readme.txt", "delete readme.txt",
                                             "exists readme.txt", "delete maps/one.map"),
    "stress_a_buffer": ["setbuffer 10", *write_folder("stressbuffer 10")],
    "unmount_what_is_not_mounted": ["unmount zoo/loose", "removearchive zoo/loose",
                                    "getmountpoint zoo/loose", "addarchive zoo/loose 1",
                                    "removearchive zoo/loose", "addarchive absent 0"],
    "a_mount_outlives_others": [mount("zoo/stored.zip"), mount("zoo/quake.pak", append=0),
                                "unmount zoo/quake.pak", *read(NAMES), "getsearchpath"],
}
