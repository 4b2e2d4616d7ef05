"""Runs inside a Python whose BLAS is covered by the preloaded drop-in: SciPy's own BLAS calls.

usage: scipy_checks.py LIBACCUBLAS MODE
"""
import numpy as np
import scipy.linalg
import scipy.linalg.blas as blas

from numpy_checks import MODE, calls, complex_vectors, direct, exact, exact_complex, expect, print_libraries, wide


def main():
    rng = np.random.default_rng(8)
    for dtype, letter in ((np.float64, "d"), (np.float32, "s")):
        a, b = np.asfortranarray(wide(rng, (50, 40), dtype)), np.asfortranarray(wide(rng, (40, 30), dtype))
        x, y = a[:40, 3].copy(), b[:, 4].copy()
        routines = {
            "gemm": lambda call: call(1.0, a, b),
            "gemv": lambda call: call(1.0, a, y),
            "dot": lambda call: call(x, y),
            "nrm2": lambda call: call(x),
            "asum": lambda call: call(x),
        }
        results = {}
        for routine, run in routines.items():
            before = calls().get(letter + routine, 0)
            results[routine] = run(getattr(blas, letter + routine))
            if calls().get(letter + routine, 0) != before + 1:
                raise SystemExit(f"{letter}{routine} of SciPy was not intercepted: {calls()}")
        expect(f"SciPy's {letter}gemm", results["gemm"], direct(a, b))
        if MODE == "cr":
            assert all(results["gemm"][i, j] == exact(a[i], b[:, j], dtype) for i, j in ((0, 0), (7, 3), (49, 29)))
            assert all(results["gemv"][i] == exact(a[i], y, dtype) for i in (0, 21, 49))
            assert results["dot"] == exact(x, y, dtype)
            assert results["asum"] == exact(np.sign(x), x, dtype)
        assert np.isclose(results["nrm2"], np.sqrt(np.square(x, dtype=np.float64).sum()), rtol=1e-6)
    for dtype, letter, norms in ((np.float64, "z", "dz"), (np.float32, "c", "sc")):
        x, y = complex_vectors(rng, 60, dtype)
        for name, arguments in ((letter + "dotu", (x, y)), (letter + "dotc", (x, y)), (norms + "nrm2", (x,)), (norms + "asum", (x,))):
            before = calls().get(name, 0)
            result = getattr(blas, name)(*arguments)
            if calls().get(name, 0) != before + 1:
                raise SystemExit(f"{name} of SciPy was not intercepted: {calls()}")
            if "dot" in name:
                wanted = exact_complex(np.conj(x) if name.endswith("c") else x, y, dtype)
                assert result == wanted if MODE == "cr" else np.isclose(result, wanted, rtol=1e-3), (name, result, wanted)
    lapack = scipy.linalg.lapack
    regular = np.asfortranarray(rng.integers(-4, 5, (20, 20)) + 40.0 * np.eye(20))
    for name, run, wanted in (("dgetri", lambda: scipy.linalg.inv(regular), np.linalg.inv(regular)),
                              ("dtrtri", lambda: np.triu(lapack.dtrtri(regular)[0]), np.linalg.inv(np.triu(regular))),
                              ("dlauum", lambda: np.triu(lapack.dlauum(regular)[0]), np.triu(np.triu(regular) @ np.triu(regular).T)),
                              ("dpotri", lambda: np.triu(lapack.dpotri(np.triu(regular))[0]),
                               np.triu(np.linalg.inv(np.triu(regular).T @ np.triu(regular))))):
        before = calls().get(name, 0)
        assert np.allclose(run(), wanted), name
        if calls().get(name, 0) != before + 1:
            raise SystemExit(f"{name} of SciPy was not intercepted: {calls()}")
    # The rest stays with SciPy's own library.
    assert np.allclose(scipy.linalg.cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]), lower=True), [[2, 0], [1, 2]])
    assert np.allclose(blas.daxpy(np.array([1.0, 2.0]), np.array([3.0, 4.0]), a=2), [5, 8])
    print("ok")
    print_libraries()


if __name__ == "__main__":
    main()
