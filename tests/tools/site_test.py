# SPDX-License-Identifier: Zlib
"""tools/site makes pages of comments and declarations, and checks the links of the site."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools/site"))

import check  # noqa: E402
import headers  # noqa: E402
import names  # noqa: E402
import prose  # noqa: E402
import stage  # noqa: E402


def kinds(text, indent=0):
    return [(block.kind, block.text) for block in prose.parse(text, indent)]


class Prose(unittest.TestCase):
    def test_joins_the_lines_of_a_paragraph(self):
        self.assertEqual(kinds("One sentence that\ngoes on.\n\nAnother."),
                         [("paragraph", "One sentence that goes on."), ("paragraph", "Another.")])

    def test_begins_a_paragraph_where_a_line_ends_early(self):
        self.assertEqual(kinds("Short.\nThreads: any."),
                         [("paragraph", "Short."), ("paragraph", "Threads: any.")])

    def test_goes_on_where_the_next_word_had_no_room(self):
        full = "x" * 88 + "."
        self.assertEqual(kinds(full + "\nReturns it."),
                         [("paragraph", full), ("paragraph", "Returns it.")])
        self.assertEqual(kinds(full + "\nReturns it.", indent=2),
                         [("paragraph", full + " Returns it.")])

    def test_takes_text_below_a_line_without_a_full_stop_for_a_heading(self):
        self.assertEqual(kinds("Cost\n  One load for each call, whatever the number of threads."),
                         [("heading", "Cost"),
                          ("paragraph", "One load for each call, whatever the number of threads.")])

    def test_keeps_code_as_it_stands(self):
        code = "barricade door;      // raised\n\ndoor.wait();"
        indented = "\n".join("  " + line if line else "" for line in code.split("\n"))
        self.assertEqual(kinds("Waits.\n\n" + indented), [("paragraph", "Waits."), ("code", code)])

    def test_keeps_commands_as_commands(self):
        self.assertEqual(prose.parse("  ./dev build     # all")[0].language, "sh")

    def test_makes_a_table_of_two_columns(self):
        table, = prose.parse("  limit     too many of them; or\n            too long\n"
                             "  invalid   the rest\n  io, no_space, out_of_memory")
        self.assertEqual(table.items, [["limit", "too many of them; or too long"],
                                       ["invalid", "the rest"],
                                       ["io, no_space, out_of_memory", ""]])

    def test_leaves_three_columns_as_they_stand(self):
        text = "bool     yes_no, y_n      true, false\nint      decimal, hex     hex is \"ff\""
        self.assertEqual(kinds("\n".join("  " + line for line in text.split("\n"))),
                         [("plain", text)])

    def test_makes_a_list(self):
        block, = prose.parse("- one that\n  goes on\n- two")
        self.assertEqual([item[0].text for item in block.items], ["one that goes on", "two"])

    def test_tells_code_from_a_table_below_it(self):
        self.assertEqual([block.kind for block in prose.parse(
            "  pool.set(warm);   // any time\n\n  park   sleeps\n  warm   stays awake")],
            ["code", "table"])


HEADER = """// SPDX-License-Identifier: Zlib
//
// Doors.
//
//   door d;
#pragma once

#include <compare>

namespace overture {
namespace detail { void hidden(); }

struct door_config {
  int width = 1;  // in metres

  // Twice the width.
  [[nodiscard]] int twice() const { return 2 * width; }
  friend auto operator<=>(const door_config&, const door_config&) = default;
};
inline door_config copied(const door_config& from) { return from; }

// Opens and shuts.
class door {
 public:
  explicit door(int width = 1) noexcept : width_(width) {}
  door(const door&) = default;

  // Any thread.
  void open() noexcept { width_ = 2; }
  void shut() noexcept;
  [[nodiscard]] int width() const;  // in metres

  // Another one.
  template <class T>
  T as() const;

 private:
  void secret();
  int width_;
};
class later;
inline void open_copy(door from) { from.open(); door copy(from); }

enum class side { left, right };

namespace limits {
// Of one house.
inline constexpr int doors_max = 4;
}  // namespace limits
}  // namespace overture
"""


class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            include = pathlib.Path(folder)
            (include / "overture/detail").mkdir(parents=True)
            (include / "overture/door.hpp").write_text(HEADER)
            (include / "overture/detail/inside.hpp").write_text("")
            cls.paths = headers.public_headers(include)
            cls.all = headers.parse(include, cls.paths)
        cls.header = cls.all["overture/door.hpp"]
        cls.by_title = {entry.title: entry for entry in cls.header.entries}

    def test_leaves_out_detail(self):
        self.assertEqual(self.paths, ["overture/door.hpp"])
        self.assertEqual(list(self.by_title),
                         ["door_config", "copied()", "door", "open_copy()", "side",
                          "limits: doors_max"])

    def test_takes_the_manual_without_the_licence(self):
        self.assertEqual(self.header.manual, "Doors.\n\n  door d;")

    def test_shows_a_struct_whole_but_without_bodies_and_friends(self):
        self.assertEqual(self.by_title["door_config"].code,
                         "struct door_config {\n  int width = 1;  // in metres\n\n"
                         "  // Twice the width.\n  [[nodiscard]] int twice() const;\n};")

    def test_shows_a_class_by_its_public_members(self):
        door = self.by_title["door"]
        self.assertEqual(door.text, "Opens and shuts.")
        self.assertEqual([member.title for member in door.members],
                         ["door()", "open(), shut(), width()", "as()"])

    def test_cuts_bodies_and_initialisers(self):
        made, opened, as_type = self.by_title["door"].members
        self.assertEqual(made.code, "explicit door(int width = 1) noexcept;\n"
                                    "door(const door&) = default;")
        self.assertEqual(opened.code, "void open() noexcept;\nvoid shut() noexcept;\n"
                                      "[[nodiscard]] int width() const;  // in metres")
        self.assertEqual(as_type.code, "template <class T>\nT as() const;")

    def test_shares_a_comment_until_the_next_empty_line(self):
        self.assertEqual([member.text for member in self.by_title["door"].members],
                         ["", "Any thread.", "Another one."])

    def test_finds_what_a_comment_names(self):
        known = names.Names(self.all)
        place = "include/overture/door"
        self.assertEqual(known.find_text("shut()", "overture/door.hpp", "door"),
                         (place, "door-open"))
        self.assertEqual(known.find_text("door::open()", "", ""), (place, "door-open"))
        self.assertEqual(known.find_text("door_config", "", ""), (place, "door_config"))
        self.assertEqual(known.find_text("door.hpp", "overture/door.hpp", ""), (place, ""))
        self.assertEqual(known.find_text("limits::doors_max", "", ""), (place, "limits-doors_max"))
        self.assertIsNone(known.find_text("secret()", "", ""))


class Stage(unittest.TestCase):
    def stage(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            stage.Stage(pathlib.Path(folder)).add_document(pathlib.Path(path), text)
            return (pathlib.Path(folder) / path).read_text()

    def link(self, text):
        with tempfile.TemporaryDirectory() as folder:
            made = stage.Stage(pathlib.Path(folder))
            made.add_document(pathlib.Path("docs/guide/x.md"), text)
            return (pathlib.Path(folder) / "docs/guide/x.md").read_text(), made.wanted

    def test_does_not_call_two_pages_overture(self):
        readme = (ROOT / "README.md").read_text()
        self.assertEqual(self.stage("README.md", readme).splitlines()[0], "# Getting started")
        self.assertEqual(self.stage("docs/guide/x.md", "# Overture\n"), "# Overture\n")

    def test_leads_a_link_to_a_source_to_a_page(self):
        text, wanted = self.link("[x](../../dev) [y](../../tools/site/check.py)")
        self.assertEqual(text, "[x](../../dev) [y](../../tools/site/check.py.md)")
        self.assertEqual(wanted, [pathlib.Path("tools/site/check.py")])

    def test_leads_a_link_to_a_folder_to_a_list(self):
        self.assertEqual(self.link("[x](../../examples/)")[0], "[x](../../examples/sources.md)")

    def test_lists_a_source_with_what_it_says_of_itself(self):
        licence = "SPDX-License-Identifier: Zlib"
        texts = {"a.cpp": f"// {licence}\n//\n// Does one\n// thing. And more.\n#pragma once\n",
                 "b.py": f'#!/usr/bin/env python3\n# {licence}\n"""Checks it:"""\n',
                 "c.c": f"/* {licence} */\n#include <stdio.h>\n",
                 "d.json": "{}\n"}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                (pathlib.Path(folder) / name).write_text(text)
            self.assertEqual([stage.purpose(pathlib.Path(folder) / name) for name in texts],
                             [": Does one thing.", ": Checks it.", "", ""])

    def test_leaves_code_documents_and_headers_alone(self):
        text = ("```cpp\n[](../../tools)\n```\n[a](jobs.md#forks) "
                "[b](../../include/overture/base/error.hpp)")
        self.assertEqual(self.link(text), (text, []))


class Check(unittest.TestCase):
    def check(self, pages, expected=()):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder).resolve()
            for name, text in pages.items():
                (site / name).write_text(text)
            return check.check(site, expected)

    def test_finds_links_that_lead_nowhere(self):
        problems, leaving = self.check({
            "index.html": '<a href="a.html#there"><a href="a.html#not"><img src="no.png">'
                          '<a href="https://example.org/"><a href="#here"><p id="here">',
            "a.html": '<p id="there">'})
        self.assertEqual(problems, ["index.html: a.html#not: no such place in that page",
                                    "index.html: no.png leads nowhere"])
        self.assertEqual(leaving, ["https://example.org/"])

    def test_misses_a_page_that_the_front_page_does_not_list(self):
        self.assertEqual(self.check({"index.html": '<a href="a.html">', "a.html": "",
                                     "b.html": ""}, ["a.html", "b.html"])[0],
                         ["b.html is not in the navigation"])


if __name__ == "__main__":
    unittest.main()
