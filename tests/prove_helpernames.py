# SPDX-License-Identifier: GPL-3.0-or-later
"""Proves that check_helpernames.py finds what it is for, and nothing else, in small repositories of its own."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_helpernames.py")
LIBRARY = "cudal1_library(part one.cpp two.cpp DEPENDS cudal1::base)"


def hidden(code: str) -> str:
    return f"namespace cudal1::part {{\nnamespace {{\n{code}\n}} // namespace\n}} // namespace cudal1::part\n"


class Helpers(unittest.TestCase):
    def said(self, one: str, two: str, cmake: str = LIBRARY) -> str:
        with tempfile.TemporaryDirectory() as root:
            folder = pathlib.Path(root, "core", "part")
            folder.mkdir(parents=True)
            for name, text in (("CMakeLists.txt", cmake), ("one.cpp", one), ("two.cpp", two)):
                (folder / name).write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", CHECK, root], capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.returncode, 0 if done.stdout.endswith("files have helpers of different names in each target\n") else 1)
            return done.stdout if done.returncode else ""

    def assert_found(self, name: str, one: str, two: str):
        self.assertIn(f"{name}: a helper of this name in core/part/one.cpp:", self.said(one, two))

    def test_says_where_both_stand(self):
        self.assertEqual(self.said(hidden("\nint width(int a) { return a; }"), hidden("double width(double a) { return a; }")),
                         "width: a helper of this name in core/part/one.cpp:4 and core/part/two.cpp:3\n")

    def test_all_kinds_of_helpers(self):
        for one, two in (("int found() { return 1; }", "constexpr int found = 2;"),
                         ("std::map<std::string, std::pair<int, int>> found(const Row& row)\n{\n    return {};\n}", "struct found { int a; };"),
                         ("template<class T, class U = std::vector<T>> T found(U u) { return u[0]; }", "const char* const found[] = {\"a\"};"),
                         ("[[noreturn]] void found(int) { throw 1; }", "enum class found : int { A };"),
                         ("auto found(int a) -> std::vector<int> { return {a}; }", "std::atomic<int> found{0};"),
                         ("using found = int;", "using found = long;"),
                         ("class found final : public Row {\n    int a;\n};", "static const std::string found(3, 'a');")):
            with self.subTest(one=one, two=two):
                self.assert_found("found", hidden(one), hidden(two))

    def test_static_and_constant_in_a_named_namespace(self):
        self.assert_found("found", "namespace cudal1 {\nstatic int found() { return 1; }\n}\n", hidden("int found = 1;"))
        self.assert_found("found", "namespace cudal1 {\nconstexpr int found = 1;\n}\n", "namespace cudal1 {\nconst int found = 2;\n}\n")

    def test_behind_other_scopes(self):
        other = hidden("struct A { int found; void f() { int found = {}; } };\nint f() { if (true) { return 1; } return 2; }")
        self.assert_found("found", other + hidden("int found() { return 1; }"), hidden("int found() { return 1; }"))

    def test_what_is_no_helper_of_both(self):
        helper = hidden("int found() { return 1; }")
        for two in ("// int found() { return 1; }", hidden("const std::string a = \"int found() { return 1; }\";"),
                    hidden("int f(int found) { found = {}; return found; }"), hidden("struct A { int found() { return 1; } };"),
                    "namespace cudal1::part {\nint A::found() { return 1; }\nconst Row& found(int) { return row; }\n}\n",
                    hidden("bool operator==(const A&, const A&) { return true; }\nusing other::found;\nstruct found;")):
            with self.subTest(two=two):
                self.assertEqual(self.said(helper, two), "")

    def test_what_goes_by_its_operand_or_is_the_same(self):
        for text in ("void to_json(json& j, const A& a) { j = a.b; }", "bool operator<(A a, A b) { return a.b < b.b; }", "using Tone = Terminal::Tone;"):
            self.assertEqual(self.said(hidden(text), hidden(text)), "")

    def test_files_that_are_never_joined(self):
        helper = hidden("int found() { return 1; }")
        self.assertEqual(self.said(helper, helper, "cudal1_library(part one.cpp)\ncudal1_program(other two.cpp)"), "")
        for property in ("SKIP_UNITY_BUILD_INCLUSION ON", "COMPILE_DEFINITIONS A=1"):
            self.assertEqual(self.said(helper, helper, f"{LIBRARY}\nset_source_files_properties(two.cpp PROPERTIES {property})"), "")
        self.assertNotEqual(self.said(helper, helper, f"{LIBRARY}\nset_source_files_properties(two.cpp PROPERTIES GENERATED ON)"), "")

    def test_a_file_of_no_target(self):
        self.assertEqual(self.said("", "", "cudal1_library(part one.cpp) # two.cpp"), "core/part/two.cpp stands in no target\n")


if __name__ == "__main__":
    unittest.main()
