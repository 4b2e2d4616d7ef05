"""The recipe for Spack says what the build knows: in every combination of its variants it gives options that there are, with
values that they take. Spack itself is not needed: stand-ins note what the recipe declares.

usage: spack_test.py SOURCE"""

import itertools
import re
import runpy
import sys
import types
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
REPOSITORY = SOURCE / "packaging/spack/spack_repo/accublas"


class Spec:
    def __init__(self, chosen, cuda_arch):
        self.chosen = chosen | ({"cuda_arch=none"} if not cuda_arch else set())
        self.variants = {"cuda_arch": types.SimpleNamespace(value=cuda_arch)}

    def __contains__(self, text):
        return text in self.chosen


def recipe():
    """The recipe's class, and the directives that it gave: (name, arguments, keywords)."""
    noted = []

    def directive(name):
        return lambda *arguments, **keywords: noted.append((name, arguments, keywords))

    modules = {name: types.ModuleType(name) for name in (
        "spack", "spack.package", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems",
        "spack_repo.builtin.build_systems.cuda", "spack_repo.builtin.build_systems.meson")}
    names = ("conflicts", "depends_on", "license", "requires", "variant", "version")
    vars(modules["spack.package"]).update({name: directive(name) for name in names})
    modules["spack_repo.builtin.build_systems.cuda"].CudaPackage = type("CudaPackage", (), {})
    modules["spack_repo.builtin.build_systems.meson"].MesonPackage = type("MesonPackage", (), {})
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        return runpy.run_path(str(REPOSITORY / "packages/accublas/package.py"))["Accublas"], noted
    finally:
        for name, module in before.items():
            sys.modules.pop(name) if module is None else sys.modules.__setitem__(name, module)


class Recipe(unittest.TestCase):
    def setUp(self):
        self.package, self.noted = recipe()
        text = (SOURCE / "meson_options.txt").read_text()
        self.options = dict(re.findall(r"^option\('(\w+)', type: '(\w+)'", text, re.M))

    def arguments(self, chosen, cuda_arch=()):
        package = self.package()
        package.spec = Spec(chosen, cuda_arch)
        return dict(re.fullmatch(r"-D(\w+)=(.*)", argument).groups() for argument in package.meson_args())

    def test_options(self):
        for cuda, fortran, mpi in itertools.product("+~", repeat=3):
            with self.subTest(cuda=cuda, fortran=fortran, mpi=mpi):
                given = self.arguments({cuda + "cuda", fortran + "fortran", mpi + "mpi"})
                for name, value in given.items():
                    self.assertEqual(self.options.get(name), "feature", name)
                    self.assertIn(value, ("enabled", "disabled"))
                self.assertEqual(given["cuda"], "enabled" if cuda == "+" else "disabled")
                self.assertEqual(given["fortran"], "enabled" if fortran == "+" else "disabled")
                self.assertEqual(given["mpi"], "enabled" if mpi == "+" else "disabled")

    def test_every_feature_is_chosen(self):
        """Nothing is left to what the machine happens to have."""
        self.assertEqual(set(self.arguments(set())), {name for name, kind in self.options.items() if kind == "feature"})

    def test_architectures(self):
        self.assertEqual(self.arguments({"+cuda"}, ("80", "90a"))["gpu_arch"], "80,90a")
        self.assertEqual(self.options["gpu_arch"], "array")

    def test_directives(self):
        project = (SOURCE / "meson.build").read_text()
        needed = re.search(r"meson_version: '>=([\d.]+)\.0,!=([\d.]+)\.0'", project).groups()
        versions = {arguments[0].split("@")[0]: arguments[0] for name, arguments, _ in self.noted if name == "depends_on"}
        self.assertTrue(versions["meson"].startswith(f"meson@{needed[0]}:"), versions["meson"])
        self.assertIn(f":1.7,{needed[1]}.1:", versions["meson"])
        self.assertIn(("license", (re.search(r"license: '(.*)'", project).group(1),), {}), self.noted)
        self.assertEqual(self.package.git, SOURCE.as_uri())


if __name__ == "__main__":
    unittest.main()
