# SPDX-License-Identifier: Zlib
"""Each rule of tools/tidy fires on a tiny tree, and stays quiet where it should."""

import pathlib
import tempfile
import unittest
from unittest import mock

from small_tree import HEADER, TidyTest, tidy


class Layers(TidyTest):
    rule = staticmethod(tidy.rule_layers)

    def test_a_layer_uses_itself_and_those_below(self):
        self.assert_quiet(
            self.rule,
            {
                "src/vfs/tree/tree.cpp": '#include "base/vec.hpp"\n#include "vfs/tree.hpp"\n'
                '#include "overture/io/read_queue.hpp"\n#include <vector>\n'
            },
        )

    def test_a_private_header_of_a_higher_layer(self):
        self.assert_fires(
            self.rule,
            {"src/io/queue.cpp": '\n#include "vfs/tree.hpp"\n'},
            "src/io/queue.cpp:2: io must not use vfs",
        )

    def test_a_public_header_of_a_higher_layer(self):
        self.assert_fires(
            self.rule, {"src/sync/x.cpp": '#include "overture/jobs/thread_pool.hpp"\n'}, "use jobs"
        )

    def test_public_headers_obey_too(self):
        self.assert_fires(
            self.rule,
            {"include/overture/base/blob.hpp": '#include "overture/load.hpp"\n'},
            "use load",
        )

    def test_decoders_are_beside_the_layers(self):
        self.assert_fires(
            self.rule,
            {"src/decoders/png.cpp": '#include "overture/jobs/thread_pool.hpp"\n'},
            "use jobs",
        )
        self.assert_fires(
            self.rule,
            {"src/vfs/tree/tree.cpp": '#include "overture/decoders.hpp"\n'},
            "use decoders",
        )
        self.assert_quiet(self.rule, {"src/load/x.cpp": '#include "overture/decoders.hpp"\n'})

    def test_folders_inside_a_module(self):
        rule = tidy.rule_folders_inside_modules
        headers = {f"src/io/{name}.hpp": HEADER for name in ("unpack/pack", "queue/core", "front")}
        uses = {"src/io/queue/core.cpp": '#include "io/unpack/pack.hpp"\n'}
        self.assert_quiet(rule, {**headers, **uses})
        uses = {"src/io/unpack/pack.cpp": '#include "io/queue/core.hpp"\n'}
        self.assert_fires(rule, {**headers, **uses}, "unpack must not use queue")
        uses = {"src/io/queue/core.cpp": '#include "io/front.hpp"\n'}
        self.assert_fires(rule, {**headers, **uses}, "queue must not use .")
        uses = {"cli/system/a.cpp": '#include "terminal/table.hpp"\n'}
        cli = {"cli/terminal/table.hpp": HEADER, **uses}
        self.assert_fires(rule, cli, "system must not use terminal")

    def test_adapters_use_all_public_headers(self):
        self.assert_quiet(
            self.rule,
            {"include/overture/sdl/x.hpp": '#include <SDL.h>\n#include "overture/load.hpp"\n'},
        )
        self.assert_fires(
            self.rule, {"include/overture/sdl/x.hpp": '#include "vfs/tree.hpp"\n'}, "public header"
        )

    def test_an_include_without_a_module(self):
        self.assert_fires(self.rule, {"src/base/x.cpp": '#include "x.hpp"\n'}, "MODULE/x.hpp")

    def test_a_folder_without_a_module(self):
        self.assert_fires(self.rule, {"src/util/x.cpp": "\n"}, "not in the folder of a module")
        self.assert_fires(
            self.rule, {"include/overture/x.hpp": HEADER}, "not in the folder of a module"
        )

    def test_the_umbrella_of_all_modules_may_include_everything(self):
        self.assert_quiet(
            self.rule, {"include/overture/overture.hpp": '#include "overture/load.hpp"\n'}
        )

    def test_the_umbrella_of_a_module_is_part_of_it(self):
        self.assert_fires(
            self.rule, {"include/overture/io.hpp": '#include "overture/vfs.hpp"\n'}, "use vfs"
        )


class PublicHeaders(TidyTest):
    def test_a_module_without_an_umbrella(self):
        self.assert_fires(
            tidy.rule_umbrellas_are_complete,
            {"include/overture/base/blob.hpp": HEADER},
            "base has public headers",
        )

    def test_an_umbrella_that_lacks_a_header(self):
        self.assert_fires(
            tidy.rule_umbrellas_are_complete,
            {
                "include/overture/base.hpp": '#include "overture/base/blob.hpp"\n',
                "include/overture/base/blob.hpp": HEADER,
                "include/overture/base/path.hpp": HEADER,
                "include/overture/base/detail/table.hpp": HEADER,
            },
            "overture/base/path.hpp",
        )

    def test_the_umbrella_of_the_c_interface_is_in_its_folder(self):
        rule = tidy.rule_umbrellas_are_complete
        header = {"include/overture/c/base.h": HEADER}
        self.assert_fires(rule, header, "include/overture/c/overture.h:1: c has public headers")
        umbrella = "include/overture/c/overture.h"
        self.assert_quiet(rule, {**header, umbrella: '#include "overture/c/base.h"\n'})
        self.assert_fires(rule, {**header, umbrella: HEADER}, "include overture/c/base.h")
        apart = {"include/overture/c/sounds.h": HEADER, umbrella: HEADER}
        self.assert_quiet(rule, apart)

    def test_a_header_begins_with_a_page(self):
        rule = tidy.rule_public_headers_explain_themselves
        self.assert_quiet(rule, {"include/overture/base/blob.hpp": HEADER})
        self.assert_fires(
            rule, {"include/overture/base/blob.hpp": "#pragma once\n"}, "page of comment"
        )
        self.assert_fires(
            rule, {"include/overture/base/blob.hpp": "// Blobs.\nint x;\n#pragma once\n"}, "page"
        )
        self.assert_fires(rule, {"include/overture/base/blob.hpp": "// Blobs.\nint x;\n"}, "page")


class Products(TidyTest):
    rule = staticmethod(tidy.rule_products_use_public_headers_only)

    def test_public_headers_and_their_own(self):
        self.assert_quiet(
            self.rule,
            {
                "cli/main.cpp": '#include "report.hpp"\n#include "overture/base/path.hpp"\n',
                "cli/report.hpp": "\n",
                "examples/01/main.cpp": '#include "game.hpp"\n',
                "examples/01/game.hpp": "\n",
            },
        )

    def test_private_headers(self):
        self.assert_fires(
            self.rule,
            {
                "cli/main.cpp": '#include "base/vec.hpp"\n',
                "examples/01/main.cpp": '#include "vfs/tree.hpp"\n',
            },
            "base/vec.hpp",
            "vfs/tree.hpp",
        )


class Platforms(TidyTest):
    rule = staticmethod(tidy.rule_platforms_by_file)

    def test_platform_files_may(self):
        self.assert_quiet(
            self.rule,
            {
                "src/base/system/os_linux.cpp": "#ifdef __linux__\n#endif\n",
                "src/sync/wait_windows.cpp": "#if defined(_WIN32)\n#endif\n",
                "src/base/x.cpp": "// #ifdef _WIN32\n",
            },
        )

    def test_others_may_not(self):
        self.assert_fires(
            self.rule,
            {
                "cli/main.cpp": "#ifdef __APPLE__\n",
                "src/base/system/os.cpp": "#if X && defined(_WIN32)\n",
                "tests/base/system/os_test.cpp": "#  elif defined(__linux__)\n",
            },
            "__APPLE__",
            "_WIN32",
            "__linux__",
        )


class Tests(TidyTest):
    rule = staticmethod(tidy.rule_every_source_has_a_test)

    def setUp(self):
        reasons = mock.patch.object(tidy, "NO_TEST_OF_ITS_OWN", {})
        reasons.start()
        self.addCleanup(reasons.stop)

    def test_a_source_without_a_test(self):
        self.assert_fires(self.rule, {"src/base/blob.cpp": "\n"}, "tests/base/blob_test.cpp")

    def test_a_test_of_another_module_does_not_count(self):
        self.assert_fires(
            self.rule, {"src/base/blob.cpp": "\n", "tests/io/blob_test.cpp": "\n"}, "tests/base"
        )

    def test_tests_mirror_sources(self):
        self.assert_quiet(
            self.rule,
            {
                "src/base/blob.cpp": "\n",
                "tests/base/blob_test.cpp": "\n",
                "src/archives/deep/zip.cpp": "\n",
                "tests/archives/zip/zip_test.cpp": "\n",
                "src/sync/wait_linux.cpp": "\n",
                "src/sync/wait_generic.cpp": "\n",
                "src/sync/wait_generic_system.cpp": "\n",
                "tests/sync/wait_test.cpp": "\n",
            },
        )

    def test_a_reason_will_do_until_there_is_a_test(self):
        with mock.patch.object(tidy, "NO_TEST_OF_ITS_OWN", {"src/base/blob.cpp": "reason"}):
            self.assert_quiet(self.rule, {"src/base/blob.cpp": "\n"})
            self.assert_fires(
                self.rule,
                {"src/base/blob.cpp": "\n", "tests/base/blob_test.cpp": "\n"},
                "take it out",
            )
            self.assert_fires(
                self.rule,
                {"src/base/system/os.cpp": "\n", "tests/base/system/os_test.cpp": "\n"},
                "lists src/base/blob.cpp: it is gone",
            )


class Licences(TidyTest):
    rule = staticmethod(tidy.rule_sources_name_their_licence)

    def test_the_first_line_names_the_licence(self):
        self.assert_quiet(
            self.rule,
            {
                "src/base/x.cpp": "// SPDX-License-Identifier: Zlib\nint x;\n",
                "compat/x.h": "/* SPDX-License-Identifier: Zlib */\nint x;\n",
                "tools/x.py": "#!/usr/bin/env python3\n# SPDX-License-Identifier: Zlib\n",
                "tools/x.sh": "# SPDX-License-Identifier: Zlib\n",
                "docs/x.md": "# Title\n",
            },
        )

    def test_a_source_without_it_or_with_another(self):
        self.assert_fires(
            self.rule,
            {
                "dev": "#!/usr/bin/env bash\nset -e\n",
                "src/base/x.cpp": "int x;\n",
                "src/base/y.hpp": "// SPDX-License-Identifier: MIT\n",
            },
            "dev:2: this line has to be: # SPDX-License-Identifier: Zlib",
            "src/base/x.cpp:1: this line has to be: // SPDX-License-Identifier: Zlib",
            "src/base/y.hpp:1: this line has to be",
        )


class Text(TidyTest):
    def test_file_length(self):
        rule = tidy.rule_file_length
        self.assert_quiet(rule, {"src/base/x.cpp": "\n" * 500, "README.md": "\n" * 900})
        self.assert_fires(rule, {"src/base/x.cpp": "\n" * 501}, "warning: src/base/x.cpp")
        self.assert_fires(rule, {"dev": "\n" * 801}, "dev:801: 801 lines")
        self.assertNotIn("warning", self.problems(rule, {"dev": "\n" * 801})[0])

    def test_function_length(self):
        rule = tidy.rule_function_length
        body = "  int x;\n" * 80
        self.assert_fires(
            rule, {"src/base/x.cpp": f"\nvoid f(int) {{\n{body}}}\n"}, "warning: src/base/x.cpp:2"
        )
        self.assert_quiet(rule, {"src/base/x.cpp": f"class x {{\n{body}}};\n"})
        self.assert_quiet(rule, {"src/base/x.cpp": "void f() {\n  int x;\n}\n" * 90})
        member = "  void f() {\n" + "    int x;\n" * 80 + "  }\n"
        self.assert_fires(rule, {"src/base/x.hpp": f"class x {{\n{member}}};\n"}, "82 lines")
        constructor = "x::x(int a)\n    : a_(a) {\n  b();\n}\n"
        block = "\nvoid f() {\n  if (a) {\n    b();\n  }\n}\n" + "\n" * 80 + "    }\n"
        self.assert_quiet(rule, {"src/base/x.cpp": constructor + block})

    def test_white_space(self):
        rule = tidy.rule_white_space
        self.assert_quiet(rule, {"src/base/x.cpp": "int x;\n", "README.md": "x" * 200 + "\n"})
        self.assert_fires(rule, {"dev": "a\tb\n"}, "dev:1: spaces instead of a tab")
        self.assert_fires(rule, {"CMakeLists.txt": "a\nb \n"}, "CMakeLists.txt:2: white space")
        self.assert_fires(rule, {"x.py": "a" * 101 + "\n"}, "101 columns")
        self.assert_quiet(rule, {"x.py": "ö" * 100 + "\n"})
        self.assert_fires(rule, {"x.py": "a"}, "one newline")
        self.assert_fires(rule, {"x.py": "a\n\n"}, "one newline")
        self.assert_quiet(rule, {"tests/cli/golden/report.txt": " \t" + "x" * 200})

    def test_reminders(self):
        for word in ("TO" + "DO", "FIX" + "ME"):
            self.assert_fires(
                tidy.rule_no_reminders, {"docs/x.md": f"# x\n{word}: more\n"}, f"drop it: {word}"
            )
        self.assert_quiet(tidy.rule_no_reminders, {"docs/x.md": "method" + "TO" + "DOs\n"})

    def test_plants(self):
        rule = tidy.rule_plants_are_there_once
        plant = "plant src/a.cpp nothing\n-  go();\n+  stop();\n"
        self.assert_quiet(rule, {"tools/mutate/plants.txt": plant, "src/a.cpp": "  go();\n"})
        self.assert_fires(rule, {"tools/mutate/plants.txt": plant}, "txt:1: 0 times in src/a.cpp")
        self.assert_fires(
            rule,
            {"tools/mutate/plants.txt": "# x\n" + plant, "src/a.cpp": "  go();\n  go();\n"},
            "txt:2: 2 times in src/a.cpp",
        )

    def test_markdown_titles(self):
        rule = tidy.rule_markdown_has_one_title
        self.assert_quiet(rule, {"a.md": "# a\n\n## b\n\n```\n# no title\n```\n"})
        self.assert_fires(rule, {"a.md": "# a\n\n# b\n"}, "one title")
        self.assert_fires(rule, {"a.md": "## a\n"}, "one title")
        self.assert_fires(rule, {"a.md": "text\n# a\n"}, "one title")

    def test_big_files(self):
        rule = tidy.rule_no_big_files
        self.assert_quiet(rule, {"a.bin": "x" * 200 * 1024})
        self.assert_fires(rule, {"a.bin": "x" * (200 * 1024 + 1)}, "make it when needed")

    def test_what_git_ignores_is_not_looked_at(self):
        self.assert_quiet(
            tidy.rule_no_big_files,
            {"build/a.bin": "x" * 300 * 1024, ".cache/b.bin": "x" * 300 * 1024},
        )


class Whole(TidyTest):
    def test_warnings_do_not_fail(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch("builtins.print") as printed:
            (pathlib.Path(folder) / "dev").write_text(
                "# SPDX-License-Identifier: Zlib\n" + "#\n" * 600
            )
            self.assertEqual(tidy.main(["tidy", folder]), 0)
            self.assertEqual(printed.call_count, 1)
            (pathlib.Path(folder) / "x.py").write_text("x")
            self.assertEqual(tidy.main(["tidy", folder]), 1)


if __name__ == "__main__":
    unittest.main()
