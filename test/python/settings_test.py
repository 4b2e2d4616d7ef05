"""Modes, targets and reports of the Python package, in threads and asynchronous tasks, and its exceptions."""

import asyncio
import os
import subprocess
import sys
import threading
import unittest
from unittest import mock

import accublas
import numpy
from accublas import _library

X, Y = numpy.array([1e16, 1.0, 1.0, -1e16]), numpy.ones(4)


def word():
    """The mode in which a product runs now."""
    accublas.matmul([[1.0]], [[1.0]])
    return accublas.report().mode


class Modes(unittest.TestCase):
    def setUp(self):
        self.usual = word()

    def test_block(self):
        with accublas.mode("cr"):
            self.assertEqual(word(), "cr")
            self.assertEqual(accublas.dot(X, Y), 2)
            with accublas.mode("dot2"):
                self.assertEqual(word(), "dot2")
                accublas.matmul([[1.0]], [[1.0]], mode="fixed:70")
                self.assertEqual(accublas.report().mode, "fixed:70")
                with accublas.mode(None):
                    self.assertEqual(word(), self.usual)
            self.assertEqual(word(), "cr")
        self.assertEqual(word(), self.usual)

    def test_exception_in_block(self):
        with self.assertRaises(KeyError):
            with accublas.mode("cr"):
                raise KeyError
        self.assertEqual(word(), self.usual)

    def test_decorator(self):
        for _ in range(2):
            self.assertEqual(accublas.mode("cr")(word)(), "cr")
        self.assertEqual(word(), self.usual)

        async def coroutine():
            return word()

        def generator():
            yield word()

        async def both():
            yield word()

        for function in (coroutine, generator, both):
            with self.assertRaisesRegex(TypeError, "runs after the decorator's block"):
                accublas.mode("cr")(function)

    def test_missing_modes(self):
        with self.assertRaisesRegex(accublas.ModeError, "crr.*dot2"):
            with accublas.mode("crr"):
                self.fail("the block must not run")
        self.assertEqual(word(), self.usual)
        with self.assertRaises(accublas.ModeError) as caught:
            accublas.norm(X, mode="fixed:70")
        self.assertIsInstance(caught.exception, ValueError)
        with accublas.mode("fixed:70"):  # norms lack it, and keep theirs
            self.assertEqual(accublas.norm([3.0, 4.0]), 5)
            self.assertEqual(word(), "fixed:70")

    def test_words(self):
        for wrong, kind in (("", accublas.ModeError), ("cr\0x", accublas.ModeError), (3, TypeError), (b"cr", TypeError)):
            with self.assertRaises(kind):
                accublas.dot(X, Y, mode=wrong)
            with self.assertRaises(kind):
                with accublas.mode(wrong):
                    self.fail("the block must not run")
            self.assertEqual(word(), self.usual)

    def test_empty_stacks(self):
        """A call without a product has a mode, too."""
        empty = numpy.ones((0, 2, 2))
        for call in (lambda **mode: accublas.matmul(empty, empty, **mode), lambda **mode: accublas.matmul(numpy.ones((0, 4, 4))[:, ::2, ::2], empty, **mode),
                     lambda **mode: accublas.solve(empty, empty, **mode), lambda **mode: accublas.syrk(empty, **mode), lambda **mode: accublas.qr(empty, **mode)):  # fmt: skip
            call(mode="cr")
            with self.assertRaisesRegex(accublas.ModeError, "unknown mode 'crr'"):
                call(mode="crr")

    def test_interrupted(self):
        """Ctrl-C after the library has a setting, and before Python remembers it."""
        call = _library.Context.call

        def interrupted(context, name, *arguments):
            call(context, name, *arguments)
            if name in ("set_mode_name", "set_target"):
                raise KeyboardInterrupt

        with mock.patch.object(_library.Context, "call", interrupted), self.assertRaises(KeyboardInterrupt):
            with accublas.mode("cr"):
                self.fail("the block must not run")
        self.assertEqual(word(), self.usual)

    def test_handlers(self):
        """A block in a signal's handler, which runs after a call has its settings, does not change the mode of the call."""
        call, before = _library.Context.call, []

        def signalled(context, name, *arguments):
            if name == "ddot_ex" and not before:
                before.append(name)
                with accublas.mode("dp"):
                    word()
            call(context, name, *arguments)

        with mock.patch.object(_library.Context, "call", signalled), accublas.mode("cr"):
            self.assertEqual(accublas.dot(X, Y), 2)
            self.assertEqual(accublas.report().mode, "cr")

    def test_threads(self):
        barrier, found = threading.Barrier(4), {}

        def work(mode):
            with accublas.mode(mode):
                for _ in range(20):
                    barrier.wait()
                    found.setdefault(mode, set()).add(word())
            found.setdefault(f"after {mode}", set()).add(word())

        threads = [threading.Thread(target=work, args=[mode]) for mode in ("cr", "dot2", "dp:repro", "fixed:60")]
        with accublas.mode("slices:4"):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(word(), "slices:4")
        for mode in ("cr", "dot2", "dp:repro", "fixed:60"):
            self.assertEqual((found[mode], found[f"after {mode}"]), ({mode}, {self.usual}))

    def test_tasks(self):
        async def work(mode):
            with accublas.mode(mode):
                for _ in range(5):
                    await asyncio.sleep(0)
                    self.assertEqual(word(), mode)

        async def both():
            await asyncio.gather(work("cr"), work("dot2"))

        asyncio.run(both())
        self.assertEqual(word(), self.usual)
        with accublas.mode("cr"):
            self.assertEqual(asyncio.run(asyncio.to_thread(word)), "cr")

    def test_target(self):
        accublas.set_target(1e-40)
        try:
            with self.assertRaises(accublas.AccuracyError):
                accublas.matmul([[1.0, 2.0]], [[1.0], [1.0]], mode="dp")
            thread = threading.Thread(target=word)  # has no target
            thread.start()
            thread.join()
        finally:
            accublas.set_target(0)
        word()
        with self.assertRaises(accublas.ArgumentError):
            accublas.set_target(float("nan"))
        word()

    def test_report(self):
        accublas.matmul(numpy.ones((3, 4)), numpy.ones((4, 5)), mode="cr")
        report = accublas.report()
        self.assertEqual((report.mode, report.backend, report.m, report.n, report.k), ("cr", "cpu", 3, 5, 4))
        self.assertEqual(report.bound_relative, 2.0**-53)

    def test_environment(self):
        """A wrong variable is the library's error."""
        program = "import accublas\ntry: accublas.matmul([[1.0]], [[1.0]])\nexcept accublas.EnvironmentVariableError as e: print(e)"
        done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "ACCUBLAS_MOD": "cr"}, capture_output=True, text=True, check=True)
        self.assertIn("ACCUBLAS_MOD", done.stdout)

    def test_no_library(self):
        for wrong in ("/missing/libaccublas.so.0", "libm.so.6"):
            done = subprocess.run([sys.executable, "-c", "import accublas"], capture_output=True, text=True, env={**os.environ, "ACCUBLAS_LIBRARY": wrong})
            self.assertIn(f"ImportError: the library of accublas could not be loaded; tried {wrong}", done.stderr)


if __name__ == "__main__":
    unittest.main()
