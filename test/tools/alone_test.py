"""Compiles alone every source of the library and its programs that a unity build compiles together with others.

A build without unity, for instance the demonstration's, fails for a source that lacks an include. Nothing is optimised here, which takes less time.

usage: alone_test.py BUILD
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

build = Path(sys.argv[1]).resolve()


def unity_sources():
    """Yields each source of a unity file with the command that compiles its target."""
    for target in json.loads((build / "meson-info" / "intro-targets.json").read_text()):
        for group in target["target_sources"]:
            if group.get("language") != "cpp":
                continue
            for unity in group["sources"] + group["generated_sources"]:
                if not re.search(r"-unity\d+\.cpp$", unity) or not Path(unity).exists() or build / "test" in Path(unity).parents:
                    continue
                plain = [word for word in group["parameters"] if not re.match(r"-O|-W(error=)?frame-larger-than", word)]
                for source in re.findall(r'#include\s*[<"](.+?)[>"]', Path(unity).read_text()):
                    yield (build / source).resolve(), (*group["compiler"], *plain)


# Targets that share a source differ in macros alone, which select no other headers: one of them is enough.
commands = dict(unity_sources())
if not commands:
    print("not a unity build")
    sys.exit(77)


def precompile(command, folder):
    """Compiles the standard headers as a build without unity does, where sources share a command."""
    header = Path(folder) / "standard.hpp"
    header.write_text('#include "lib/precompiled/standard.hpp"\n')
    subprocess.run([*command, "-x", "c++-header", str(header), "-o", f"{header}.gch"], cwd=build, check=True)
    return ("-include", str(header))


def compile_alone(source, command):
    result = subprocess.run([*command, "-fsyntax-only", str(source)], cwd=build, capture_output=True, text=True)
    return source, result.returncode, result.stderr


failed = []
for command in dict.fromkeys(commands.values()):
    sources = [source for source in commands if commands[source] == command]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        headers = precompile(command, folder) if len(sources) > 4 else ()
        results = pool.map(lambda source: compile_alone(source, command + headers), sources)
        failed += [(source, errors) for source, status, errors in results if status != 0]
for source, errors in failed:
    print(f"{source} does not compile alone:\n{errors}")
print(f"{len(commands) - len(failed)} of {len(commands)} sources compile alone")
sys.exit(1 if failed else 0)
