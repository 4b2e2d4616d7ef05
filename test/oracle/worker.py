"""Runs cases on one library in one environment (the environment is read once by the library, so every combination of
variables is a process of its own)."""

import json
import pickle
import struct

import numpy as np

import binding
import device
import exceptions
import multiword
from values import words


def pointer_list(first, stride, count):
    return np.array([first + i * stride for i in range(count)], np.uint64)


flags = exceptions.Flags()


def run(library, case, configuration, memory=None):
    """(status, bits of C's buffer, exceptions that were raised) of one call; with `memory`, of one on operands in device memory."""
    buffers = [case.buffers[0], case.buffers[1], case.buffers[2].copy()]
    size = buffers[2].itemsize
    copies = [memory.copy_in(buffer) for buffer in buffers] if memory else []
    bases = copies or [buffer.ctypes.data for buffer in buffers]
    pointers = {name: base + offset * size for name, base, offset in zip("ABC", bases, case.offsets)}
    pointers |= {name: bases[2] + start * size for name, start in case.within.items()}
    lists = {}
    if case.function == "gemm_batched":
        lists = {name: pointer_list(pointers[name], stride * size, case.arguments[-1])
                 for name, stride in zip("ABC", case.strides)}
        copies += [memory.copy_in(x) for x in lists.values()] if memory else []
        pointers = dict(zip("ABC", copies[3:] if memory else [x.ctypes.data for x in lists.values()]))
    if case.null_operands:
        pointers["A"] = pointers["B"] = None
    arguments = [pointers[x] if isinstance(x, str) else x for x in case.arguments]
    status = library.call(case.function, case.prefix, arguments, case.mode, flags, **configuration)
    raised = flags.read()
    if memory:
        status = status or library.sync()
        memory.copy_out(copies[2], buffers[2])
        for address in copies:
            memory.free(address)
    return status, words(buffers[2]).reshape(-1), raised


def compare(case, bits, expected):
    """Text of the first mismatch, or None."""
    if isinstance(expected, multiword.Within):
        found = expected.wrong(bits)
        if found is None:
            return None
        expected, wrong = found
    else:
        wrong = np.nonzero(bits != expected)[0]
    if wrong.size == 0:
        return None
    position = int(wrong[0])
    components = bits.size // case.buffers[2].size
    inside = np.argwhere(case.where == position // components)
    place = f"C{tuple(int(v) for v in inside[0])}" if inside.size else f"outside C, at {position // components}"
    if components == 2:
        place += (" real part", " imaginary part")[position % 2]
    width = 2 * bits.itemsize
    kind = case.buffers[2].real.dtype
    got, want = bits[position : position + 1], expected[position : position + 1]
    return (f"{wrong.size} of {case.where.size * components} numbers differ, first {place}: "
            f"got {int(got[0]):0{width}x} ({got.view(kind)[0]!r}), want {int(want[0]):0{width}x} ({want.view(kind)[0]!r})")


def judge(library, case, answer, bits, raised):
    """Text of what is wrong with a call of the library, or None. answer: the bits, exceptions (None: not defined) and T*
    (None: not reported) that the definition has."""
    expected, exceptions_expected, call_bits = answer
    text = compare(case, bits, expected)
    if text:
        return text
    report = library.report()
    if call_bits is not None and report.bits not in (0, call_bits):
        return f"report.bits {report.bits}, want T* = {call_bits}"
    if raised != exceptions_expected and None not in (raised, exceptions_expected):
        return f"raised {sorted(raised)}, want {sorted(exceptions_expected)}"
    return None


def serve(path, jobs, answers_to):
    """Reads pickled jobs, answers one JSON line per job."""
    library = binding.Library(path)
    memory = None
    while True:
        head = jobs.read(8)
        if len(head) < 8:
            break
        case, answer, configurations = pickle.loads(jobs.read(struct.unpack("<q", head)[0]))
        answers = []
        for configuration in configurations:
            options = dict(configuration)
            if options.pop("device", False):
                memory = memory or device.Device()
                status, bits, _ = run(library, case, options, memory)
                raised = None
            else:
                status, bits, raised = run(library, case, options)
            if status:
                answers.append((configuration, status, library.last_error()))
                continue
            text = judge(library, case, answer, bits, raised)
            answers.append((configuration, 0, text, library.report().engine.decode()))
        print(json.dumps(answers), file=answers_to, flush=True)
