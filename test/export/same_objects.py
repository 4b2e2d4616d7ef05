"""A compiler that takes an object that another build of the same tree has, where it would compile the same: from there for the same
source with the same arguments. Everything else the compiler does, precompiled headers among it: a build with CUDA has its own macros in
them, which no object of this one may meet.

usage: same_objects.py BUILD PART COMPILER [ARGUMENT ...]
BUILD is the build folder with the objects, PART the folder of the tree in the other one: subprojects/accublas for a subproject, a dot for the tree itself.
"""
import json
import os
import re
import shlex
import sys

# Objects are taken for these folders alone, whose sources do not read CUDA's macros (subproject.sh sees to it).
FOLDERS = ("lib/", "c_api/")
CUDA = ("-DACCUBLAS_HAVE_CUDA", "-DACCUBLAS_GPU_ARCH", "-DACCUBLAS_HAVE_HOPPER_KERNELS", "-isystem")
# A choice of newer versions of Meson, where assertions are on. pip builds a wheel with another version than the one that built the objects.
ASSERTIONS = "-D_GLIBCXX_ASSERTIONS"
WITH_VALUE = ("-o", "-MF", "-MQ", "-c", "-x", "-include")


def meaning(arguments, build, root, source):
    """Returns the arguments that determine an object: all but its names, precompiled headers, colours, assertions and CUDA, with
    folders written as those of the build or of the tree."""
    found = []
    words = iter(arguments)
    for word in words:
        if word in WITH_VALUE:
            value = next(words, "")
            if word == "-c":
                found += code(os.path.join(build, value), root, source)
        elif word.startswith("-I"):
            folder = place(os.path.join(build, word[2:]), root, source)
            if folder != "build/cuda":  # kernels' objects alone
                found.append("-I" + folder)
        elif not word.startswith(("-MD", "-fdiagnostics-color", "-Winvalid-pch", "-fpch-preprocess", ASSERTIONS, *CUDA)):
            found.append(word)
    return found


def code(path, root, source):
    """The place of a source, and of one that Meson wrote into the build folder, which includes others, what it says."""
    found = ["-c" + place(path, root, source)]
    if found[0].startswith("-cbuild/"):
        with open(path) as file:
            found += [re.sub("<(.*)>", lambda name: place(name[1], root, source), line) for line in file]
    return found


def place(path, root, source):
    path = os.path.realpath(path)
    for name, folder in (("build", root), ("source", source)):
        if path == folder or path.startswith(folder + "/"):
            return name + unversioned(path[len(folder):])
    return path


def unversioned(name):
    """The name of an object without the version of its library: a wheel's libraries have shorter names."""
    return re.sub(r"\.so\.[0-9.]+\.p(?=/|$)", ".so.p", name)


def object_of(build, part, arguments):
    """The file to copy to which other, or None."""
    if "-c" not in arguments or "-o" not in arguments:
        return None
    output = arguments[arguments.index("-o") + 1]
    prefix = "" if part == "." else part + "/"
    if not output.startswith(prefix) or output.endswith(".gch"):
        return None
    name = output[len(prefix):]
    if not name.startswith(FOLDERS):
        return None
    with open(os.path.join(build, "compile_commands.json")) as file:
        commands = json.load(file)
    source = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
    for command in commands:
        if unversioned(command["output"]) == unversioned(name):
            here = meaning(arguments, os.getcwd(), os.path.realpath(part), source)
            words = shlex.split(command["command"])
            first = next(i for i, word in enumerate(words) if word.startswith("-"))
            there = meaning(words[first:], build, os.path.realpath(build), source)
            file = os.path.join(build, command["output"])
            return (file, output) if here == there and os.path.exists(file) else None
    return None


def main():
    build, part, *command = sys.argv[1:]
    first = next((i for i, word in enumerate(command) if word.startswith("-")), len(command))
    found = object_of(build, part, command[first:])
    if found is None:
        os.execvp(command[0], command)
    with open(found[0], "rb") as there, open(found[1], "wb") as here:
        here.write(there.read())
    # The build is made once: nobody asks later what the object depends on.
    with open(command[command.index("-MF") + 1], "w") as file:
        file.write(f"{found[1]}:\n")


if __name__ == "__main__":
    main()
