# SPDX-License-Identifier: Zlib
"""The rules of tools/tidy about words fire on a tiny tree, and stay quiet where they should."""

import unittest

from small_tree import TidyTest, tidy


class BannedWords(TidyTest):
    rule = staticmethod(tidy.rule_banned_words)

    def test_each_word(self):
        for line, word in (
            ("std::mutex m;", "std::mutex"),
            ("std::condition_variable c;", "std::condition_variable"),
            ("std::latch l{1};", "std::latch"),
            ("word.notify_all();", ".notify_all"),
            ("std::atomic<int> a;", "std::atomic<"),
            ("std::thread t;", "std::thread"),
            ("std::this_thread::sleep_for(1ms);", "sleep_for"),
            ('std::printf("x");', "printf"),
            ('fprintf(stderr, "x");', "fprintf"),
            ("std::cout << 1;", "std::cout"),
            ("abort();", "abort"),
            ("std::exit(1);", "exit"),
            ("std::string s;", "std::string"),
            ("std::vector<int> v;", "std::vector"),
            ("std::unordered_map<int, int> m;", "std::unordered_map"),
            ("std::function<void()> f;", "std::function"),
            ("auto* p = new int;", "new"),
            ("auto* p = new (std::nothrow) int;", "new (std::nothrow"),
            ("auto p = std::make_unique<int>();", "std::make_unique"),
            ("void* p = std::malloc(1);", "malloc"),
        ):
            with self.subTest(line):
                self.assert_fires(self.rule, {"src/vfs/x.cpp": line + "\n"}, f"of {word} use")

    def test_what_only_looks_alike(self):
        for line in (
            "// abort() and std::string in a comment",
            'const char* s = "std::string, printf(";',
            "/* std::vector\n   malloc( */",
            "std::string_view s;",
            "::new (static_cast<void*>(storage)) int{1};",
            "snprintf(text, size, format);",
            "#include <new>",
            "void* operator new(std::size_t bytes);",
            "int renew = 1;",
            "const char separator = '\"'; int new_value = '\\'';",
        ):
            with self.subTest(line):
                self.assert_quiet(self.rule, {"src/vfs/x.cpp": line + "\n"})

    def test_where_they_belong(self):
        self.assert_quiet(
            self.rule,
            {
                "src/sync/wait_generic.cpp": "std::mutex m; std::condition_variable c;\n",
                "src/base/allocator.cpp": "std::aligned_alloc(a, b);\n",
                "include/overture/base/atomic.hpp": "using atomic = std::atomic<T>;\n",
                "cli/main.cpp": "std::string s; std::printf(s);\n",
                "tests/base/x_test.cpp": "std::vector<int> v;\n",
            },
        )

    def test_wait_on_an_atomic(self):
        rule = tidy.rule_no_wait_on_atomics
        self.assert_fires(
            rule,
            {"src/jobs/x.cpp": "overture::atomic<int> word{0};\nvoid f() { word.wait(0); }\n"},
            "word.wait",
        )
        self.assert_quiet(
            rule, {"src/jobs/x.cpp": "atomic<int> word{0};\nvoid f() { door.wait(); }\n"}
        )


class RefusedWords(TidyTest):
    rule = staticmethod(tidy.rule_refused_words)

    def test_each_word(self):
        for text, word in (
            ("on a disc", "disc"),
            ("a color", "color"),
            ("gray", "gray"),
            ("its behavior", "behavior"),
            ("in the center", "center"),
            ("a neighbor", "neighbor"),
            ("it was canceled", "canceled"),
            ("a catalog", "catalog"),
            ("initialized", "initialized"),
            ("we analyze", "analyze"),
            ("Nobody waits", "Nobody"),
            ("shown to who reads", "to who"),
            ("who has said so", "who has said"),
            ("a number that is none", "that is none"),
            ("It is awake, then.", "then."),
            ("draw begins behind both", "begins behind"),
        ):
            with self.subTest(text):
                self.assert_fires(self.rule, {"a.md": f"# a\n{text}\n"}, f"of '{word}'")
                self.assert_fires(self.rule, {"src/a.cpp": f"// {text}\n"}, f"of '{word}'")
                self.assert_fires(self.rule, {"src/a.cpp": f'f("{text}");\n'}, f"of '{word}'")

    def test_what_only_looks_alike(self):
        for text in (
            "discard",
            "its size",
            "`color`",
            "--color, NO_COLOR",
            "since then.",
            "there is none",
            "it is none of them",
            "behind it",
            "a promise",
        ):
            with self.subTest(text):
                self.assert_quiet(self.rule, {"a.md": f"# a\n{text}\n"})
        self.assert_quiet(self.rule, {"src/a.cpp": "int color = gray + initialize(x);\n"})
        self.assert_quiet(self.rule, {"a.md": "# a\n\n```\nsomebody(color);\n```\n"})

    def test_names(self):
        self.assert_fires(self.rule, {"src/a.cpp": "int old_disc = 1;\n"}, "instead of 'disc'")
        self.assert_fires(self.rule, {"src/old_disc.cpp": "\n"}, "the file's name")

    def test_names_of_tests(self):
        rule = tidy.rule_test_names_are_sentences
        self.assert_quiet(
            rule,
            {
                "tests/base/a_test.cpp": "TEST(vec, grows_by_half) {\nTEST_F(a2, is_b) {\n",
                "src/base/a.cpp": "TEST(Vec, Grows)\n",
            },
        )
        for head, part in (
            ("TEST(vec, GrowsByHalf)", "snake_case"),
            ("TEST_F(Vec, grows_by_half)", "snake_case"),
            ("TEST(vec, grows)", "in a sentence"),
            ("TEST_P(vec,\n     harms_nobody)", "instead of 'nobody'"),
        ):
            with self.subTest(head):
                self.assert_fires(rule, {"tests/base/a_test.cpp": f"\n{head} {{\n"}, part)


    def test_tests_named_in_documents(self):
        rule = tidy.rule_tests_named_in_documents_exist
        test = "TEST_F(vec, grows_by_half) {\n"
        for name, known in (("vec.grows_by_half", True), ("vec.grows_by_two_thirds", False)):
            tree = {"tests/base/vec_test.cpp": test, "a.md": f"# a\n\nSee `{name}`.\n"}
            with self.subTest(name):
                if known:
                    self.assert_quiet(rule, tree)
                else:
                    self.assert_fires(rule, tree, "a.md:3: there is no test")
        self.assert_quiet(rule, {"a.md": "# a\n\n`docs/guide/io.md`, `thread_pool.hpp`, `a.b_c`\n"})


if __name__ == "__main__":
    unittest.main()
