"""The maps are true. Every file, folder, function, type, macro, option and target that a comment, README.md, CONTRIBUTING.md
or a document of docs/ names is there, a header's index of files is right, and no comment was broken on its way.
usage: maps_test.py ROOT"""

import sys
import tempfile
import unittest
from pathlib import Path

from maps import Tree

ROOT = Path(sys.argv.pop(1)).resolve()


class Maps(unittest.TestCase):
    def test_tree(self):
        tree = Tree(ROOT)
        problems = tree.problems()
        self.assertEqual(problems, [], "\n" + "\n".join(problems))
        self.assertGreater(tree.checked, 5000)
        print(f"{tree.checked} names and lines checked", file=sys.stderr)

    def seen(self, path, text):
        """Returns the errors of a file in a small tree."""
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {**SMALL_TREE, path: text}.items():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_text(content)
            return Tree(Path(folder)).problems()

    def test_small_tree(self):
        self.assertEqual(self.seen("lib/other.cpp", "int other;\n"), [])

    def test_false_names(self):
        """Each in comments of C++ and Python, and in a document."""
        forms = [("lib/b.hpp", "/// {}\n"), ("lib/b.hpp", "int i;  /* {} */\n"), ("test/b.py", "# {}\n"), ("docs/b.md", "{}\n")]
        for text, name in FALSE:
            for path, form in forms:
                with self.subTest(text=text, path=path):
                    found = self.seen(path, form.format(text))
                    self.assertEqual(len(found), 1, found)
                    self.assertIn(f"{path}:1: {name} does not exist", found[0])

    def test_true_names(self):
        for text in TRUE:
            for path, form in ("lib/b.hpp", "/// {}\n"), ("docs/b.md", "{}\n"):
                with self.subTest(text=text, path=path):
                    self.assertEqual(self.seen(path, form.format(text)), [])

    def test_languages(self):
        """Comments are found in every language, and strings and code are none."""
        wrong = "see lost_name"
        for path, text in (
            ("lib/b.cpp", f'const char* s = "// {wrong}"; // {wrong}\n'),
            ("lib/b.cpp", f"int a = 1; /* a\n * {wrong} */ int b;\n"),
            ("lib/b.cu", f"const char c = '\"'; // {wrong}\n"),
            ("lib/b.f90", f"print *, '! it''s' ! {wrong}\n"),
            ("lib/b.f90.in", f"!> {wrong}\n"),
            ("b/meson.build", f"a = '#'  # {wrong}\n"),
            ("b.sh", f"echo ${{#a}} $# '#'  # {wrong}\n"),
            ("b.py", f'def f():\n    """{wrong}"""\n'),
        ):
            with self.subTest(path=path, text=text):
                found = self.seen(path, text)
                # Where the name is in a string, too, it exists.
                self.assertEqual(len(found), 0 if '"//' in text else 1, found)

    def test_links(self):
        links = [("[a](a.md)", 0), ("[a](a.md#a-part)", 0), ("[a](gone.md)", 2), ("[a](a.md#other)", 1), ("[a](#none)", 1)]
        for link, wrong in links:
            with self.subTest(link=link):
                self.assertEqual(len(self.seen("docs/b.md", link + "\n")), wrong)

    def test_places(self):
        for text, wrong in (
            ("put_it (lib/a.hpp)", 0),
            ("`serve` in `lib/a.cpp`", 0),
            ("what serve() of lib/a.cpp does", 0),
            ("put_it (lib/a.cpp)", 1),
            ("`serve` in `lib/a.hpp`", 1),
            (f"what is done {'and ' * 19}by serve() of\n// lib/a.hpp", 1),
        ):
            with self.subTest(text=text):
                self.assertEqual(len(self.seen("lib/b.hpp", f"// {text}.\n")), wrong)

    def test_includers(self):
        for text, wrong in ("a.cpp", 1), ("c.cpp", 0), ("a.cpp and c.cpp", 1):
            with self.subTest(text=text):
                self.assertEqual(len(self.seen("lib/d.hpp", f"// Included by {text} only.\n")), wrong)

    def test_options(self):
        for rows, wrong in ("| `cuda` | a |\n", 0), ("| `cuda`, `other` | a |\n", 1), ("", 1), ("| `cudas` | a |\n", 2):
            with self.subTest(rows=rows):
                self.assertEqual(len(self.seen("docs/b.md", "## Build options\n\n" + rows)), wrong)

    def test_index(self):
        declaration = "template <class T>\nvoid {}(const T& a,\n  int b);\n"
        both = "// a.cpp, c.cpp: both.\n" + declaration.format("serve") + declaration.format("serve_other")
        self.assertEqual(self.seen("lib/b.hpp", both), [])
        for head in "// a.cpp: what it is.\n", "// ---- a.cpp -----\n":
            self.assertEqual(self.seen("lib/b.hpp", head + declaration.format("serve")), [])
            self.assertEqual(len(self.seen("lib/b.hpp", head + declaration.format("serve_other"))), 1)
            self.assertEqual(self.seen("lib/b.hpp", head + "// ---- others -----\n" + declaration.format("serve_other")), [])

    def test_broken_comments(self):
        for text, wrong in (
            (f"/// A sentence that goes {'on and ' * 14}on until\n/// here.\n", 0),
            ("/// A sentence that goes on.\n/// Another.\n", 0),
            ("/// A sentence that stops\n/// here, for nothing.\n", 1),
            ("/// As the formula has it, it is with the left side\n///   a = b + c\n", 0),
            (f"// - An item that goes {'on and ' * 13}on, so that\n//   see\n//     here.\n", 1),
            ("/// Of one thing,\nint i;\n", 1),
            ("/// The sum of\nint i;\n", 1),
            ("// ---- serve and others\n// ----------------\n", 1),
        ):
            with self.subTest(text=text):
                self.assertEqual(len(self.seen("lib/b.hpp", text)), wrong)


SMALL_TREE = {
    "README.md": "# A tree\n",
    "docs/a.md": "# A\n\n## A part\n",
    "lib/a.hpp": """#define ACCUBLAS_LIMIT 1
struct Holder { int member_; void put_it(); };
const char* variable = "ACCUBLAS_WORD";
""",
    "lib/a.cpp": "void serve(int) {}\n",
    "lib/c.cpp": "#include \"lib/d.hpp\"\nvoid serve_other(int) {}\n",
    "cuda/c.cpp": "int device_only;\n",
    "lib/meson.build": """executable('small-tool', 'a.cpp')
foreach name : ['one']
  test('api_' + name, x, suite: 'unit')
endforeach
""",
    "perf/bench.py": 'parser.add_argument("--targets")\n',
    "meson_options.txt": "option('cuda', type: 'feature')\n",
}

# Each false text, and the name in it that the test reports.
FALSE = [
    ("see lib/gone.cpp", "lib/gone.cpp"),
    ("see gone.cu, which", "gone.cu"),
    ("the table (`lib/a.cc.hpp`)", "lib/a.cc.hpp"),
    ("lib/{a,gone}.cpp", "lib/{a,gone}.cpp"),
    ("lib/gone*.cpp", "lib/gone*.cpp"),
    ("in lib/kernels/ are", "lib/kernels/"),
    ("in `lib/kernels`.", "lib/kernels"),
    ("build/lib/api_two", "build/lib/api_two"),
    ("lib/big-tool is", "lib/big-tool"),
    ("scale_y does it", "scale_y"),
    ("`least_target`: none", "least_target"),
    ("by LostClass alone", "LostClass"),
    ("Holder::taken", "Holder::taken"),
    ("Lost::put_it", "Lost::put_it"),
    ("certify() waits", "certify()"),
    ("ACCUBLAS_GONE=1", "ACCUBLAS_GONE"),
    ("ACCUBLAS_GONE_* are", "ACCUBLAS_GONE_"),
    ("-Dcudas=enabled", "-Dcudas"),
    ("small-tool --goals", "--goals"),
    ("meson test --suite units", "suite units"),
]

TRUE = [
    "lib/a.hpp and lib/{a,c}.cpp, lib/*.hpp",
    "folders lib/ and `cuda`, in lib/ a.cpp",
    "build/lib/api_one, lib/small-tool, build/lib",
    "Holder::put_it, put_it(), member_, ACCUBLAS_LIMIT, ACCUBLAS_WORD=1, ACCUBLAS_*, _other",
    "-Dcuda=disabled -Db_sanitize=address, bench --targets, one suite: unit",
    "x_i y_j lambda_ij 2^(e_i - 1), M_(k+1), sum_k digit_k d_k, and weight_i of weights",
    "OpenBLAS, 64 KiB, NaN, https://example.org/lost_name/gone.cpp",
    "m x n, and/or, 1/2, 3 GB/s, f(x), RN(a b), a-b, e.g. -D and --",
]

if __name__ == "__main__":
    unittest.main()
