"""The operands of accublas-compare: Matrix Market files, or random numbers of a seed."""

import bz2
import gzip
import math
import os
import re
from pathlib import Path

import numpy as np

from accublas_calls import UsageError, one_line, random_matrix, require_address_space
from accublas_routines import LEVEL3, OF_ONE


def matrix_market():
    """SciPy's reader, imported where a file is read: that takes as long as all other imports."""
    import scipy.io
    return scipy.io


def matrix_source(path):
    """Returns a form of the path that SciPy can read: it takes all kinds of files (.mtx.gz) if their names are text."""
    try:
        path.encode()
        return path
    except UnicodeEncodeError:
        return open(path, "rb")


def precision_of(paths):
    """Returns the precision of the files if the user asks for none. A later step reports files that cannot be read."""
    for path in paths:
        reader = matrix_market()
        try:
            if reader.mminfo(matrix_source(path))[4] == "complex":
                return "z"
        except Exception:
            return "d"
    return "d"


def read_matrix(path, dtype):
    reader = matrix_market()
    try:
        require_address_space(*reader.mminfo(matrix_source(path))[:2], dtype)
        matrix = reader.mmread(matrix_source(path))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except MemoryError as error:
        raise MemoryError(f"{path}: {error}") from None
    except Exception as error:  # scipy raises several types on malformed files
        text = " ".join(str(error).split()) or type(error).__name__
        raise UsageError(f"{path}: not a readable Matrix Market file ({text})") from None
    sparse = not isinstance(matrix, np.ndarray)
    read_complex = np.iscomplexobj(matrix.data if sparse else matrix)
    if read_complex and np.dtype(dtype).kind != "c":
        raise UsageError(f"{path}: complex entries; --precision z or c takes them")
    dense = matrix.toarray() if sparse else matrix
    if dense.size == 0:
        raise UsageError(f"{path}: the matrix is empty")
    with np.errstate(over="ignore"):
        matrix = np.asfortranarray(dense, dtype=dtype)
    if (np.isfinite(dense) & np.isinf(matrix)).any():
        raise UsageError(f"{path}: entries beyond the range of single precision")
    return matrix, beyond_range(path, 2 if read_complex else 1) if np.isinf(matrix).any() else 0


def beyond_range(path, words_each):
    """How many of the file's numbers, so many words each, are too large for a double, so that they were read as infinities."""
    name = os.fsdecode(path)
    opened = {".gz": gzip.open, ".bz2": bz2.open}.get(Path(name).suffix, open)
    with opened(path, "rt", errors="replace") as file:
        words = (line.split()[-words_each:] for line in file if not line.startswith("%"))
        return sum(bool(re.fullmatch(r"[-+]?[\d.]+e[-+]?\d+|[-+]?[\d.]+", word, re.IGNORECASE)) and math.isinf(float(word))
                   for last in words for word in last)


def operands(args, dtype):
    """A (m x k), B (k x n; None for OF_ONE), a line that says what they are, and sentences about what was read otherwise than it
    stands there."""
    notes = []

    def read(path):
        matrix, beyond = read_matrix(path, dtype)
        if beyond:
            entries = "an entry is" if beyond == 1 else f"{beyond} entries are"
            notes.append(one_line(f"{Path(path).name}: {entries} beyond the type's range: taken as Inf."))
        return matrix

    return *operands_by(args, dtype, read), notes


def operands_by(args, dtype, read):
    rng = np.random.default_rng(args.seed)
    if args.random:
        m, n, k = args.random
        if args.op in LEVEL3 and args.op not in OF_ONE:
            m = k
        for shape in [(m, k), (k, n)]:
            require_address_space(*shape, dtype)
        a = random_matrix(rng, (m, k), args.phi, dtype)
        b = random_matrix(rng, (k, n), args.phi, dtype)
        if args.op == "gemv":
            b = b[:, :1].copy(order="F")
        elif args.op == "dot":
            a, b = a[:1, :].copy(order="F"), b[:, :1].copy(order="F")
        elif args.op == "trsm":  # a solution of the size of B, not of 2^k
            np.fill_diagonal(a, np.abs(a).sum(axis=1))
        if args.op in OF_ONE:
            b = None
        return a, b, f"random, phi = {args.phi:g}, seed {args.seed}"
    if not args.files:
        raise UsageError("name one or two Matrix Market files, or --random M N K")
    if len(args.files) > 2:
        raise UsageError("at most two Matrix Market files")
    a = read(args.files[0])
    title = " and ".join(Path(f).name for f in args.files)
    if args.op == "dot":
        if len(args.files) != 2:
            raise UsageError("dot takes two files, each a vector")
        b = read(args.files[1])
        if 1 not in a.shape or 1 not in b.shape or a.size != b.size:
            raise UsageError(f"dot takes two vectors of one length, not {a.shape[0]} x {a.shape[1]} and "
                             f"{b.shape[0]} x {b.shape[1]}")
        return a.reshape(1, -1, order="F").copy(order="F"), b.reshape(-1, 1, order="F").copy(order="F"), title
    if args.trans_a:
        a = np.asfortranarray(a.T)
    if args.op in OF_ONE:
        if len(args.files) == 2:
            raise UsageError(f"{args.op} takes one file")
        return a, None, title
    if args.op in LEVEL3 and a.shape[0] != a.shape[1]:
        raise UsageError(f"{args.op} takes a square first matrix, not {a.shape[0]} x {a.shape[1]}")
    if len(args.files) == 2:
        b = read(args.files[1])
        b = np.asfortranarray(b.T) if args.trans_b else b
    elif args.op == "gemv":
        b = random_matrix(rng, (a.shape[1], 1), args.phi, dtype)
        title += f" times a random vector, phi = {args.phi:g}, seed {args.seed}"
    else:
        b = a if a.shape[0] == a.shape[1] else np.asfortranarray(a.T)
        title += (" by itself" if args.op == "trsm" else " times itself") if a.shape[0] == a.shape[1] else " times its transpose"
    if a.shape[1] != b.shape[0]:
        raise UsageError(f"shapes do not fit: A is {a.shape[0]} x {a.shape[1]}, B is {b.shape[0]} x {b.shape[1]}")
    if args.op == "gemv" and b.shape[1] != 1:
        raise UsageError(f"gemv takes a vector as second file, not {b.shape[0]} x {b.shape[1]}")
    return a, b, title
