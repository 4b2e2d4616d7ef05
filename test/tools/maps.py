"""Compares statements of comments and documents about the tree with the tree. The checked forms are those that prose does
not have: paths, names with an underscore or a capital inside, a::b, f(), options, targets."""

import itertools
import os
import re
import sys
from pathlib import Path

from sources import C_LIKE, WORD, Source, language

SELF = Path("test/tools/maps_test.py")  # names what does not exist

# Names that are not accublas's to declare and that no code here mentions.
FOREIGN = {
    # systems' and other libraries'
    "PTHREAD_DESTRUCTOR_ITERATIONS", "RTLD_DEEPBIND", "cublasDestroy", "sm_90a", "norm2",
    "MPI_Allreduce", "MPI_MAX", "MPI_THREAD_FUNNELED", "mpi_yield_when_idle", "R_LD_LIBRARY_PATH",
    "FLEXIBLAS_VERBOSE", "LBT_DEFAULT_LIBS", "lbt_forward", "suffix_hint", "get_num_threads", "libopenblas64_",
    # cuBLAS's, and its callers'
    "CUBLAS_FP32_EMULATED_BF16X9_MATH", "CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH", "ALLOC_FAILED", "EXECUTION_FAILED", "FAST_16BF", "FAST_16F",
    "FAST_TF32", "gemm_v2", "gemm3mBatched", "gemm3mStridedBatched", "gemvBatched", "trsmBatched", "PyTorch", "CuPy", "cuSOLVER", "allow_tf32",
    "__cublas",
    # netlib's and the literature's algorithms and operations
    "xGEMM", "xGEMV", "xDOT", "TwoSum", "GenDot", "SplitMix64", "fusedMultiplyAdd", "ulp",
    # projects whose public reports are tests
    "LinearAlgebra", "MatX", "clBLAS", "ozIMMU", "portBLAS", "rocBLAS", "stdBLAS",
    # products, units, and words of English
    "FlexiBLAS", "OpenBLAS", "OzBLAS", "cuBLAS", "OpenMP", "NumPy", "SciPy", "PyPI", "SuiteSparse", "OpenMPI", "ScaLAPACK", "KiB", "MiB", "GiB", "NaN", "NaNs",
    # tags of wheels
    "linux_x86_64", "manylinux_2_34", "manylinux_2_34_x86_64", "manylinux_2_35",
    # Python's, NumPy's and other libraries' that take arrays
    "array_like", "DLPack", "DLManagedTensor",
    # examples of what a user has
    "your_program",
}  # fmt: skip
# of pkg-config, compute-sanitizer, Meson, mpirun, Octave, update-alternatives
FOREIGN_OPTIONS = {"cflags", "libs", "tool", "suite", "prefix", "modversion", "oversubscribe", "bind-to", "mca", "norc", "set", "install",
                   "xla_gpu_enable_triton_gemm"}
MESON_OPTIONS = {"b_sanitize", "prefix", "buildtype", "debug", "default_library", "unity", "unity_size"}
INSTALLED = {"accublas.h": "include/accublas.h"}  # named as its users do

ENDINGS = "hpp|cpp|cu|c|h|py|sh|f90|f90\\.in|md|txt|json|map|build|mtx"
SET = r"\{[\w,]+\}"  # {a,b}
FILE = re.compile(rf"(?<![\w/.<$>@-])((?:[\w.-]+/)*(?:[\w.*-]|{SET})*(?:[\w*]|{SET})\.(?:{ENDINGS}))(?![\w/-]|\.\w)")
FOLDER = re.compile(r"(?<![\w/.<$@*~=-])((?:\.?[\w-]+/)+[\w*-]*)(?![\w/*.<-])")
GREEK = re.compile(r"[A-Za-z]|alpha|beta|gamma|lambda|mu|sum")


class Tree:
    def __init__(self, root):
        self.root = root
        self.files, self.folders = set(), {Path(".")}
        self.walk(root)
        self.sources = {path: Source(root, path) for path in sorted(self.files) if language(path)}
        evidence = [source for path, source in self.sources.items() if path != SELF and path.suffix != ".md"]
        self.words = set().union(*(source.words for source in evidence)) | self.drop_in_names()
        self.words |= {word for path in self.files for word in WORD.findall(path.name.split(".")[0])}
        self.quoted = set().union(*(source.quoted for source in evidence))
        self.called = set(re.findall(r"(\w+)\s*[(<{]", " ".join(source.code for source in evidence)))
        self.options = set(MESON_OPTIONS)
        for path, source in self.sources.items():
            if path == Path("meson_options.txt"):
                self.options |= set(re.findall(r"option\('(\w+)'", source.code))
        builders = [source.code for path, source in self.sources.items() if path.name == "meson.build"]
        self.suites = set(re.findall(r"\w+", " ".join(re.findall(r"suite'?: ('\w+'|\[[^\]]*\])", " ".join(builders)))))
        self.checked = 0

    def walk(self, folder):
        for path in folder.iterdir():
            relative = path.relative_to(self.root)
            if path.is_file():
                self.files.add(relative)
            elif relative == Path(".ci") or not (
                path.name.startswith((".", "build")) or path.name == "__pycache__" or (path / "meson-private").exists()
            ):
                self.folders.add(relative)
                self.walk(path)

    def drop_in_names(self):
        """The names of BLAS, LAPACK and cuBLAS that the table of routines makes, the last ones without their prefix, too."""
        if Path("c_api/generate.py") not in self.files:
            return set()
        sys.path.insert(0, str(self.root / "c_api"))
        import generate  # noqa: PLC0415
        import routines  # noqa: PLC0415
        rows = [row for group in routines.GROUPS.values() for row in group]
        of_blas = {symbol for row in rows for name, _ in row.functions() for symbol, *_ in generate.symbols(row, name)}
        of_cublas = {name for row in rows for name, *_ in generate.cublas_names(row)}
        return of_blas | of_cublas | {name.removeprefix("cublas") for name in of_cublas}

    def exists(self, path):
        """A file or folder; * and {a,b} must match one."""
        text = os.path.normpath(path.as_posix())  # a document's link may begin with ..
        choices = [re.split(",", part[1:-1]) if part[0] == "{" else [part] for part in re.findall(r"\{[^}]*\}|[^{]+", text)]
        for name in ("".join(choice) for choice in itertools.product(*choices)):
            if "*" in name:
                if not any(self.root.glob(name)):
                    return False
            elif Path(name) not in self.files and Path(name) not in self.folders:
                return False
        return True

    def target(self, path):
        """Whether the meson.build of the folder builds that program or test: by its name, or as 'prefix' + name."""
        builder = self.sources.get(path.parent / "meson.build")
        if not builder:
            return False
        names = set(re.findall(r"'([\w-]+)'", builder.code))
        prefixes = re.findall(r"'([\w-]+_)' *\+", builder.code)
        return path.name in names or any(path.name == prefix + name for prefix in prefixes for name in names)

    def found(self, source, name, near):
        """A path counts from the naming file's folder, the root, a build folder, or a folder named before it nearby. A bare
        name in a document may be any file that has it alone."""
        name = name.rstrip("/")
        if name in INSTALLED:
            return True
        places = [source.path.parent, Path("."), *near]
        if any(self.exists(place / name) for place in places):
            return True
        if source.path.suffix == ".md" and len({(self.root / path).read_bytes() for path in self.files if path.name == name}) == 1:
            return True  # one file, or copies of one
        path = Path(name)
        if path.parts[0] == "build":
            path = Path(*path.parts[1:])
            return self.exists(path) or self.target(path)
        return len(path.parts) > 1 and self.target(path)

    def bad_paths(self, source, line, near):
        names = FILE.findall(line)
        for name in FOLDER.findall(re.sub(FILE, " ", line)):
            first = name.split("/")[0]
            if name.endswith("/") or first == "build" or Path(first) in self.folders:
                names.append(name)
        for name in sorted(names, key=line.find):
            if re.fullmatch(r"[A-Z]+\.\w+", name) or name.startswith("usr/"):
                continue  # FILE.mtx: what a user has
            self.checked += 1
            if not self.found(source, name, near):
                yield name
            near += [path for path in (source.path.parent / name, Path(name.rstrip("/"))) if path in self.folders]

    def bad_words(self, source, line):
        line = re.sub(FOLDER, " ", re.sub(FILE, " ", line))
        for name in re.findall(r"(?<![\w-])-D(\w*[a-z]\w*)(?==)", line):
            self.checked += 1
            if name not in self.options:
                yield f"-D{name}"
        for name in re.findall(r"(?<![\w-])--([a-z][\w-]+)", line):
            self.checked += 1
            if name not in self.quoted | FOREIGN_OPTIONS:
                yield f"--{name}"
        for names in re.findall(r"(?:--suite|one suite:) ((?:\w+, )*\w+)", line):
            self.checked += 1
            yield from (f"suite {name}" for name in names.split(", ") if name not in self.suites)
        line = re.sub(r"(?<![\w-])--?[\w-]+", " ", line)
        for owner, member in re.findall(r"\b([A-Za-z]\w*)::(\w+)", line):
            self.checked += 1
            if owner != "std" and not any({owner, member} <= other.words for other in self.sources.values()):
                yield f"{owner}::{member}"
        for name in re.findall(r"(?<![\w'])(\w*[a-z_]\w{2,})\(", line):
            self.checked += 1
            if name not in self.called and name not in FOREIGN and not self.subscript(source, name, line):
                yield f"{name}()"
        quoted = {word for span in re.findall(r"`([^`]+)`", line) for word in WORD.findall(span)}
        for found in WORD.finditer(line):
            name = found.group()
            spelt = "_" in name or re.search(r"[a-z][A-Z]", name)
            if not spelt and not (name in quoted and len(name) > 3 and source.path.suffix != ".md"):
                continue
            self.checked += 1
            if not self.known(source, name, line):
                yield name

    def known(self, source, name, line):
        if name in self.words or name in FOREIGN or self.subscript(source, name, line):
            return True
        if name.endswith("_"):  # the prefix c_, ACCUBLAS_MP_EXPONENT_*
            return any(word.startswith(name) for word in self.words)
        if name.startswith("_"):  # accublas_mp_gemv, _gemm
            return any(word.endswith(name) for word in self.words)
        return name.isupper() and not name.startswith("ACCUBLAS") and source.path.suffix in (".py", ".sh")  # arguments

    @staticmethod
    def subscript(source, name, line):
        """x_i, lambda_ij, M_(k+1); or of what the file calls weight or weights, or in a sum over k: weight_k."""
        base, _, index = name.rpartition("_")
        base = base.lstrip("_")
        if not index:
            return bool(GREEK.fullmatch(base)) and re.search(rf"\b{name}[({{]", line) is not None
        if "_" not in name or len(index) > (4 if len(base) == 1 else 2):
            return False
        told = any(word in words for word in (base, base + "s") for words in (source.words, source.comment_words))
        return not base or bool(GREEK.fullmatch(base) or told) or f"sum_{index}" in line

    def bad_names(self, source):
        near, before = [], 0
        for number, line in source.comments:
            line = re.sub(r"https?://\S+", " ", line)
            if number != before + 1 or source.path.suffix == ".md":
                near = []
            before = number
            for name in itertools.chain(self.bad_paths(source, line, near), self.bad_words(source, line)):
                yield f"{source.path}:{number}: {name} does not exist"

    def bad_places(self, source):
        """name (file), name in file, name of file: the file has the name."""
        text = " ".join(line.strip() for _, line in source.comments)
        place = rf"(?:in |of |\()`?((?:[\w-]+/)+[\w.-]+\.(?:{ENDINGS}))\b"
        for name, mark, file in re.findall(rf"\b([A-Za-z]\w+)(\(\)|`|) {place}", text):
            place = next((path for path in (source.path.parent / file, Path(file)) if path in self.sources), None)
            spelt = mark or "_" in name or re.search(r"[a-z][A-Z]", name)
            if place and spelt and not self.subscript(source, name, text):
                self.checked += 1
                if name not in self.sources[place].words | FOREIGN and place.suffix != ".md":
                    yield f"{source.path}: {name} does not exist in {file}"

    def bad_includers(self, source):
        """Included by A.cpp and B.cpp only."""
        told = re.search(r"Included by ([\w./]+(?:(?:, | and )[\w./]+)*) only", " ".join(line for _, line in source.comments))
        if told and "." in told.group(1) and source.path.suffix in C_LIKE:
            self.checked += 1
            line = f'#include "{source.path}"'
            includers = {path.name for path, other in self.sources.items() if line in other.text}
            if includers != {Path(name).name for name in re.split(", | and ", told.group(1))}:
                yield f"{source.path}: included by {', '.join(sorted(includers))}"

    def bad_options(self, source):
        """A document's table of build options is that of meson_options.txt."""
        section = re.search(r"^## Build options\n(.*?)(?=^## |\Z)", source.text, re.M | re.S)
        if section and source.path.suffix == ".md":
            cells = " ".join(re.findall(r"^\| (`.*?) \|", section.group(1), re.M))
            told = set(re.findall(r"`(\w+)`", cells))
            self.checked += len(told)
            for name in sorted(told ^ (self.options - MESON_OPTIONS)):
                yield f"{source.path}: the build option {name} is not in both the document and meson_options.txt"

    def bad_links(self, source):
        if source.path.suffix != ".md":
            return
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", source.text):
            self.checked += 1
            file = Path(os.path.normpath(source.path.parent / target)) if target else source.path
            headings = re.findall(r"^#+ (.*)$", self.sources[file].text, re.M) if file in self.sources else []
            slugs = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
            if not self.exists(file) or anchor and anchor not in slugs:
                yield f"{source.path}: the link to {target}#{anchor} leads nowhere"

    def bad_index(self, source):
        """Below '// ---- A.cu, B.cu ---' or '// A.cpp, B.cpp: what it is' stand the declarations of these files."""
        if source.path.suffix != ".hpp":
            return
        files, seen = None, set()
        for number, line in enumerate(source.text.split("\n"), 1):
            index = re.match(r"// (?:---- ((?:[\w/]+\.\w+(?:, )?)+)|((?:[\w/]+\.cpp(?:, )?)+):)", line)
            if index:
                names = [source.path.parent / name for name in re.split(", ", index.group(1) or index.group(2))]
                files, seen = [self.sources[name] for name in names if name in self.sources], set()
            elif line.startswith("// ----"):
                files = None
            declared = re.match(r"(?!return|using|struct|inline|class|constexpr|//)\w[^=(]*?\b(\w+)\(", line)
            if files is not None and declared and not line.endswith("}"):
                self.checked += 1
                defined = [file for file in files if re.search(rf"\b{declared.group(1)}\(", file.code)]
                if not defined:
                    yield f"{source.path}:{number}: {declared.group(1)} is not of the files that the index names"

    def broken_comments(self, source):
        """Finds damage that a formatter does to comments: a paragraph that breaks where the next word fits, a rule in a line
        of its own, and a comment that stops in mid-sentence."""
        if source.path.suffix not in C_LIKE:
            return
        lines = source.text.split("\n")
        for number, (line, after) in enumerate(zip(lines, [*lines[1:], ""]), 1):
            first, second = (re.fullmatch(r"(\s*///?)( +)(\S.*)", text) for text in (line, after))
            where = f"{source.path}:{number}:"
            if not first:
                continue
            self.checked += 1
            if first.group(3).startswith("---- ") and second and second.group(3).startswith("-----"):
                yield f"{where} a section's title is torn from its rule"
            same = second and first.group(1) == second.group(1)
            same = same and (first.group(2) == second.group(2) or len(first.group(3)) < 20)  # else a formula's indentation
            if same and not re.match(r"[-=]|.*\S  ", second.group(3)) and not re.search(r"[.:;]$|  ", first.group(3)):
                if len(line) + 13 + len(second.group(3).split()[0]) <= 120:
                    yield f"{where} the line breaks in the middle"
            if not re.match(r"\s*//", after) and re.search(r"(,|\b(and|or|of|the|with|in|by|to))$", first.group(3)):
                yield f"{where} the sentence has no end"

    def problems(self):
        checks = [
            self.bad_names,
            self.bad_places,
            self.bad_includers,
            self.bad_options,
            self.bad_links,
            self.bad_index,
            self.broken_comments,
        ]
        return [problem for source in self.sources.values() for check in checks for problem in check(source)]
