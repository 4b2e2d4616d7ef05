"""Directories of lib/ and cuda/ include each other one way: no circle, lib/ never includes cuda/, and neither includes c_api/."""

import re
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
TREES = ("lib", "cuda")


def edges(root):
    """{folder: {folder that it includes: an including file}} over the files of lib/ and cuda/."""
    graph = defaultdict(dict)
    for tree in TREES:
        for path in sorted((root / tree).rglob("*")):
            if path.suffix not in (".cpp", ".hpp", ".cu"):
                continue
            folder = path.parent.relative_to(root).as_posix()
            graph[folder]
            for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
                other = Path(name).parent.as_posix()
                if other != folder and other.split("/")[0] in TREES:
                    graph[folder].setdefault(other, path.relative_to(root).as_posix())
    return graph


def circle(graph):
    """A circle as 'folder (file) -> folder ...', or None."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            around = path[path.index(folder):] + [folder]
            return " -> ".join(f"{a} ({graph[a][b]})" for a, b in zip(around, around[1:])) + f" -> {folder}"
        if folder in done:
            return None
        path.append(folder)
        found = next(filter(None, map(visit, sorted(graph.get(folder, ())))), None)
        path.pop()
        done.add(folder)
        return found

    return next(filter(None, map(visit, sorted(graph))), None)


class Directories(unittest.TestCase):
    def test_tree(self):
        graph = edges(ROOT)
        self.assertGreater(len(graph), 15)
        self.assertIsNone(circle(graph))

    def test_nothing_below_includes_the_interface(self):
        for tree in TREES:
            for path in sorted((ROOT / tree).rglob("*")):
                if path.suffix in (".cpp", ".hpp", ".cu"):
                    self.assertNotRegex(path.read_text(), r'#include "c_api/', path)

    def test_lib_does_not_know_cuda(self):
        for folder, others in edges(ROOT).items():
            if folder.split("/")[0] == "lib":
                for other, path in others.items():
                    self.assertFalse(other.startswith("cuda"), path)

    def test_only_the_cpu_backend_calls_the_real_blas(self):
        for path in sorted([*(ROOT / "c_api").rglob("*"), *(ROOT / "lib").rglob("*")]):
            if path.suffix in (".cpp", ".hpp") and ROOT / "lib" / "cpu" not in path.parents:
                self.assertNotRegex(path.read_text(), r'#include "lib/cpu/\w+_calls.hpp"', path)

    def test_a_circle_is_found(self):
        files = {
            "lib/base/a.hpp": "",
            "lib/b.cpp": '#include "lib/base/a.hpp"\n',
            "cuda/x/c.cu": '#include "cuda/y/d.hpp"\n#include "lib/base/a.hpp"\n',
            "cuda/y/d.hpp": '#include "cuda/z/e.hpp"\n',
            "cuda/z/e.hpp": '#pragma once\n\n#include <vector>\n',
        }
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            self.assertIsNone(circle(edges(root)))
            (root / "cuda/z/f.hpp").write_text('#include "cuda/x/g.hpp"\n')
            self.assertRegex(circle(edges(root)), r"cuda/z \(cuda/z/f\.hpp\)")


unittest.main()
