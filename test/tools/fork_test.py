"""lib/ and c_api/ hold nothing locked that a forked child would wait for: no lock but those of lib/base/fork_safe.hpp, and no
static variable that the compiler guards by a lock of its own while it is initialised."""

import re
import subprocess
import sys
from pathlib import Path

root, build, nm = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]

LOCKS = re.compile(
    r"\bstd::(promise|future|async|latch|barrier)\b|\b(recursive_|shared_)?(timed_)?mutex\b|\b(lock|scoped)_(guard|lock)\b"
    r"|\b(unique|shared)_lock\b|\bcondition_variable|\bcall_once\b|\bonce_flag\b|\batomic_flag\b|_semaphore\b"
    r"|\b(pthread_(mutex|rwlock|spin|cond|barrier|once)|mtx_|cnd_|sem_)\w*"
)
COMMENT = re.compile(r"//.*|\"(\\.|[^\"\\])*\"")


def uses_of_locks(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = LOCKS.search(COMMENT.sub("", line))
        if found:
            yield number, found.group()


# The check itself must see what it forbids.
for seen in ("std::mutex m;", "static std::once_flag f;", "std::shared_mutex m;", "pthread_rwlock_t l;", "#include <mutex>"):
    assert list(uses_of_locks(seen)), seen
for allowed in ("const ForkSafeLock lock(ForkSafe::mp_basis);", "/// Under the mutex.", "int blocks = clock();"):
    assert not list(uses_of_locks(allowed)), allowed

wrong = []
sources = [path for folder in ("lib", "c_api") for path in (root / folder).rglob("*.?pp") if path.stem != "fork_safe"]
assert len(sources) > 100, sources
for path in sources:
    wrong += [f"{path.relative_to(root)}:{number}: {lock}: use lib/base/fork_safe.hpp" for number, lock in uses_of_locks(path.read_text())]

objects = [
    path
    for folder in ("lib", "c_api")
    for path in (build / folder).rglob("*.o")
    if not re.search("hooks|accublas_cuda_", str(path.relative_to(build)))
]
# The objects come from sources that are compiled apart or together.
libraries = {path.parent.name for path in objects}
assert libraries >= {f"libaccublas_{name}.a.p" for name in ("lib_once", "lib_twice", "api", "kernels_baseline")}, objects
for path in objects:
    symbols = subprocess.run([nm, "-C", path], capture_output=True, text=True, check=True).stdout
    if "__cxa_guard_acquire" in symbols:
        names = re.findall(r"guard variable for (.*)", symbols) or ["variable"]
        wrong += [f"{path.name}: static {name}: use Lazy of lib/base/fork_safe.hpp, or constinit" for name in names]

sys.exit("\n".join(wrong) or 0)
