"""The oracle's named matrices against NumPy's formulas, and their names against the list of the benchmarks."""

import re
import unittest
from pathlib import Path

import numpy as np

import matrices
from values import DTYPE


class NamedMatrices(unittest.TestCase):
    def test_names(self):
        """Every name of perf/matrices is here, but for those of data.py."""
        source = (Path(__file__).resolve().parents[2] / "perf" / "matrices" / "matrices.cpp").read_text()
        words = set(re.findall(r'^ *\{"([a-z0-9-]+)", (?:"[A-Z]"|nullptr), Kind::', source, re.M))
        self.assertEqual(words - {"phi", "ties", "ties-graded", "ends", "tiny"}, {name.partition(":")[0] for name in matrices.NAMES if ".mtx" not in name})

    def test_entries(self):
        for prefix in "ds":
            rng = np.random.RandomState(1)
            i, j = np.indices((21, 30))
            distance = abs(i - j)
            for name, wanted in {"gauss:0.02": np.exp(-((distance / 29) ** 2) / (2 * 0.02**2)), "exp:0.1": np.exp(-distance / 2.9),
                                 "decay:0.1": 0.1**distance, "vandermonde": ((i + 1) / 21) ** j, "hilbert": 1 / (i + j + 1)}.items():
                x = matrices.matrix(rng, name, 21, 30, prefix)
                self.assertEqual(x.dtype, DTYPE[prefix])
                np.testing.assert_allclose(x, wanted, rtol=1e-11 if prefix == "d" else 1e-6, atol=1e-300 if prefix == "d" else 1e-44)
            for name in matrices.NAMES:
                for shape in ((0, 3), (1, 1), (7, 0), (40, 9)):
                    self.assertEqual(matrices.matrix(rng, name, *shape, prefix).shape, shape)
            laplacian = matrices.matrix(rng, "poisson", 16, 16, prefix)
            self.assertEqual((laplacian.sum(), (laplacian == -1).sum()), (16, 48))
            self.assertTrue((matrices.matrix(rng, "permutation", 9, 9, prefix).sum(axis=0) == 1).all())
            self.assertEqual(np.count_nonzero(matrices.matrix(rng, "banded:5", 9, 9, prefix)), 39)


if __name__ == "__main__":
    unittest.main()
