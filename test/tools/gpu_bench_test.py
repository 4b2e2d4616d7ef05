"""The command line of accublas-gpu-bench, which is read before a device is looked for: gpu_bench_test.py PROGRAM."""
import os
import subprocess
import sys
import unittest

COMMANDS = ["gemm", "targets", "shapes", "batched", "host", "devices", "level3", "factor", "factor-batches", "data", "vectors"]
# Words of a command line, and what the message about them must name.
ERRORS = [
    ([], "command"),
    (["gem"], "gem"),
    (["--targets"], "--targets"),
    (["gemm", "vectors"], "vectors"),
    (["gemm", "-r", "dgemm,qgemm"], "qgemm"),
    (["gemm", "-m", "cr,crr"], "crr"),
    (["gemm", "-m", "cr/int9"], "int9"),
    (["gemm", "-n", "1024x3"], "1024x3"),
    (["gemm", "-n", "1024,0"], "0"),
    (["gemm", "-d", "phi:0.5,cauchy"], "cauchy"),
    (["gemm", "-d", "phi:0.5,gauss"], "gauss:W"),
    (["factor", "-d", "absent.mtx"], "absent.mtx"),
    (["data", "dgemm,dsyrk"], "dsyrk"),
    (["gemm", "--repetitions", "0"], "0"),
    (["level3", "dsyrk,dgemm"], "dgemm"),
    (["level3", "dsyrk", "-n", "-4"], "-4"),
    (["factor", "dgetrf,dgeqr"], "dgeqr"),
    (["factor", "dgetrf", "zpotrf"], "zpotrf"),
    (["factor-batches", "dgetrf,dgeqrf"], "dgeqrf"),
    (["vectors", "ddot,caxpy"], "caxpy"),
    (["batched", "-r", "zgemm"], "zgemm"),
    (["devices", "-r", "dgemm,zherk"], "zherk"),
]
# Command lines that are right: they go on to look for a device.
ACCEPTED = [
    ["gemm", "-r", "dgemm,zgemm", "-m", "cublas,cr,dp/int8", "-n", "64,64x32x16", "-d", "phi:2,ties", "--burst"],
    ["level3", "dsyrk,zherk", "-n", "64,128"],
    ["level3"],
    ["factor", "dgetrf", "dpotrf", "-n", "64"],
    ["factor", "dgetrf", "-d", "gauss:0.02,decay:0.9,pores_1.mtx"],
    ["factor-batches", "dgetrf", "-n", "8,64", "-m", "cr"],
    ["data"],
    ["devices", "-r", "zgemm,dsyrk,dgetrf,dpotrf", "-n", "512", "--devices", "0,0", "-m", "cr"],
    ["data", "dgemm,dgeqrf", "-n", "512", "-d", "exp:0.1,west0479.mtx"],
    ["vectors"],
]


def run(*words):
    # No device, whatever the machine has: the tables are not what is tested here.
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})


class CommandLine(unittest.TestCase):
    def test_errors(self):
        for words, named in ERRORS:
            with self.subTest(words=words):
                result = run(*words)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(named, result.stderr)

    def test_accepted(self):
        for words in ACCEPTED:
            with self.subTest(words=words):
                result = run(*words)
                self.assertEqual((result.returncode, result.stderr), (77, "accublas-gpu-bench: no CUDA device\n"))

    def test_help(self):
        top = run("--help")
        self.assertEqual(top.returncode, 0)
        for command in COMMANDS:
            self.assertIn(command, top.stdout)
            own = run(command, "--help")
            self.assertEqual(own.returncode, 0)
            self.assertIn("--", own.stdout)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
