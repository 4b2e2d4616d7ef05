"""Checks the proofs (prove.py, whose arguments these are), and then that they refuse deliberate changes of the headers: at least one for each theorem.

Each proofs/*_source.py lists MUTATIONS as (theorem, header, old text, new text): `old` stands there exactly once. The theorem's file, and the files that it uses and that use the
changed definitions, are compiled again until one fails: in the proof of that theorem, or of a lemma in front of it. A change that extract.py cannot read, or that fails elsewhere,
proves nothing: the test fails. With --quick, the program tries one change, with --only NAME those of some sources.
"""
import importlib
import pathlib
import re
import shutil
import sys
import tempfile

import prove
import extract

QUICK = ["rns"]  # the sources of which --quick tries the first change


def changed_tree(root, tree, path, old, new, before=[]):
    """Makes a copy of the headers in which the text is changed. The copy has links to the files; `before` holds the paths that an earlier change replaced."""
    if not (tree / "lib").exists():
        for folder in ("lib", "cuda"):
            for file in (root / folder).rglob("*.[chu]*"):
                target = tree / file.relative_to(root)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(file.resolve())
        before.clear()
    for last in before:
        (tree / last).unlink()
        (tree / last).symlink_to((root / last).resolve())
    before[:] = [path]
    text = (root / path).read_text()
    if text.count(old) != 1:
        raise SystemExit(f"mutations: {path} has {old!r} {text.count(old)} times, not once")
    (tree / path).unlink()
    (tree / path).write_text(text.replace(old, new))


def files_between(out, source, last):
    """The files from that of the changed definitions to `last`, in order: those that use the first and that the last one uses."""
    using, used = {source}, {last}
    for name in prove.order():
        if using & set(prove.uses((out / f"{name}.v").read_text())):
            using.add(name)
    for name in reversed(prove.order()):
        if name in used:
            used.update(prove.uses((out / f"{name}.v").read_text()))
    return [name for name in prove.order() if name in using & used]


def prepared(out, trial, files):
    """Makes a folder to compile `files` in again, with the other compiled files of prove.py."""
    shutil.rmtree(trial, ignore_errors=True)
    trial.mkdir()
    for file in out.glob("*.vo"):
        if file.stem not in files:
            (trial / file.name).symlink_to(file)
    for file in files:
        shutil.copy(out / f"{file}.v", trial)


def failing(coqc, trial, files):
    """Compiles the files until one fails. Returns the file's number, the line, and the name of the lemma or theorem that fails; None if all compile."""
    for number, name in enumerate(files):
        done = prove.compile_file(coqc, trial, name)
        if done.returncode:
            lines = re.findall(r'^File "[^"]*", line (\d+)', done.stderr, flags=re.M)  # of warnings, and at last of the error
            line = int(lines[-1]) if lines else 0
            before = re.findall(r"^(?:Lemma|Theorem) (\w+)|^(?:Definition|Fixpoint) ", "\n".join((trial / f"{name}.v").read_text().splitlines()[:line]), flags=re.M)
            return number, line, before[-1] if before else ""
    return None


def place(trial, files, theorem):
    """Returns the number of the file that has the theorem, and its line."""
    for number, name in enumerate(files):
        for line, content in enumerate((trial / f"{name}.v").read_text().splitlines(), 1):
            if re.match(rf"Theorem {theorem}\b", content):
                return number, line
    raise SystemExit(f"mutations: no file has the theorem {theorem}")


def main():
    options = prove.arguments()
    root, out, survivors, count = options.root.resolve(), options.out.resolve(), [], 0
    prove.check(options.coqc, root, out)
    known = {theorem: file for file, theorem in prove.theorems()}
    touched = set()
    with tempfile.TemporaryDirectory() as folder:
        tree, trial = pathlib.Path(folder, "tree"), pathlib.Path(folder, "trial")
        tree.mkdir()
        for name in QUICK if options.quick else options.only or extract.names():
            changes = importlib.import_module(name + "_source").MUTATIONS
            for theorem, path, old, new in changes[:1] if options.quick else changes:
                count += 1
                touched.add(theorem)
                if theorem not in known:
                    raise SystemExit(f"mutations: no theorem {theorem}")
                changed_tree(root, tree, path, old, new)
                again = files_between(out, f"{name.capitalize()}Source", known[theorem])
                if not again:
                    raise SystemExit(f"mutations: {theorem} does not use the definitions of {name}_source.py")
                prepared(out, trial, again)
                extract.extract(tree, trial, [name])
                where = failing(options.coqc, trial, again)
                if where and where[2] and (where[2] == theorem or (where[2] not in known and where[:2] < place(trial, again, theorem))):
                    print(f"{theorem}: {where[2]} refuses {new!r} for {old!r} in {path}", flush=True)
                else:
                    survivors.append(f"{theorem}: {new!r} for {old!r} in {path}" + (f": {again[where[0]]}.v fails at {where[2]}, line {where[1]}" if where else ""))
    missing = sorted(set(known) - touched) if not (options.quick or options.only) else []
    for line in survivors:
        print(f"NOT REFUSED {line}")
    if missing:
        print("no deliberate change for " + ", ".join(missing))
    print(f"{count - len(survivors)} of {count} changes are refused")
    sys.exit(bool(survivors or missing))


if __name__ == "__main__":
    main()
