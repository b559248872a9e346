# SPDX-License-Identifier: GPL-3.0-or-later
"""Proves that check_includes.py finds what it is for, and nothing else, in small repositories of its own."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_includes.py")
DESIGN = """
| folder | holds | may include |
|---|---|---|
| `core/base` | ids | standard library |
| `core/store` | the project | base |
| `core/judge` | the judge | base |

| room | holds | may include |
|---|---|---|
| `wire` | messages | |
| `witness` | the clock | wire |
"""
FILES = {
    "docs/design.md": DESIGN,
    "core/base/CMakeLists.txt": "cudal1_library(base ids.cpp)",
    "core/base/ids.h": "#include <string>\n",
    "core/store/CMakeLists.txt": "cudal1_library(store project.cpp\n    DEPENDS cudal1::base Qt6::Core)",
    "core/store/project.cpp": "#include \"core/base/ids.h\"\n#include <QString>\n",
    "core/judge/CMakeLists.txt": "add_subdirectory(wire)",
    "core/judge/wire/CMakeLists.txt": "cudal1_library(judge_wire wire.cpp DEPENDS cudal1::base)",
    "core/judge/wire/wire.h": "#include \"core/base/ids.h\"\n",
    "core/judge/witness/CMakeLists.txt": "cudal1_torch_library(judge_witness witness.cpp DEPENDS cudal1::judge_wire cudal1::torch)",
    "core/judge/witness/witness.cpp": "#include \"core/judge/wire/wire.h\"\n#include \"core/judge/generated/facts_py.h\"\n#include <ATen/ATen.h>\n",
}


class Includes(unittest.TestCase):
    def said(self, **changed: str) -> str:
        """What the check says of the repository with these files in place of its own; empty where nothing is wrong."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**FILES, **changed}.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", CHECK, root], capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.returncode, 0 if done.stdout.endswith("what docs/design.md allows\n") else 1)
            return done.stdout if done.returncode else ""

    def test_nothing_is_wrong(self):
        self.assertEqual(self.said(), "")

    def test_includes_upwards(self):
        self.assertEqual(self.said(**{"core/base/ids.h": "#include \"core/store/project.h\"\n"}), "core/base/ids.h includes core/store/project.h\n")
        self.assertEqual(self.said(**{"core/judge/wire/wire.h": "#include \"core/judge/witness/witness.h\"\n"}),
                         "core/judge/wire/wire.h includes core/judge/witness/witness.h\n")

    def test_includes_that_do_not_begin_at_the_root(self):
        self.assertEqual(self.said(**{"core/base/ids.h": "#include \"../store/project.h\"\n"}),
                         "core/base/ids.h includes ../store/project.h, which is no path from the root\n")

    def test_links_upwards(self):
        self.assertEqual(self.said(**{"core/base/CMakeLists.txt": "cudal1_library(base ids.cpp\n    DEPENDS cudal1::store)"}),
                         "core/base/CMakeLists.txt links cudal1::store\n")
        self.assertEqual(self.said(**{"core/judge/wire/CMakeLists.txt": "cudal1_library(judge_wire wire.cpp DEPENDS cudal1::judge_witness)"}),
                         "core/judge/wire/CMakeLists.txt links cudal1::judge_witness\n")
        self.assertEqual(self.said(**{"core/judge/witness/CMakeLists.txt": "cudal1_torch_library(judge_witness witness.cpp DEPENDS cudal1::store)"}),
                         "core/judge/witness/CMakeLists.txt links cudal1::store\n")

    def test_torch_beside_qt(self):
        self.assertEqual(self.said(**{"core/judge/witness/witness.cpp": "#include <ATen/ATen.h>\n#include <QString>\n"}),
                         "core/judge/witness/witness.cpp includes headers of both torch and Qt\n")

    def test_folders_without_a_row(self):
        self.assertEqual(self.said(**{"core/farm/CMakeLists.txt": "", "core/farm/farm.h": ""}), "core/farm has no row in docs/design.md\n")


if __name__ == "__main__":
    unittest.main()
