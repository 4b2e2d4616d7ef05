"""Operands whose residues are extreme, for engines that multiply residues: kinds of operands that data.py lists."""

import numpy as np

from values import DTYPE, PRECISION


def small_residues(left, right):
    """fixed:8: integers whose residues are extreme for few and large moduli."""

    def make(rng, m, k, n, prefix):
        a, b = np.full((m, k), left / 256.0), np.full((k, n), right / 256.0)
        a[:, :1] = b[:1, :] = 255 / 256.0
        return a.astype(DTYPE[prefix]), b.astype(DTYPE[prefix])

    return make


def extreme_residues(left, right, moduli=(255, 253, 251, 247, 241, 239)):
    """Everywhere one full-width integer with the given residues modulo as many of the largest moduli as fit."""

    def integer(prefix, residue):
        value, modulus = 0, 1
        for p in moduli:
            if modulus * p >= 1 << (PRECISION[prefix] - 1):
                break
            while value % p != residue(p):
                value += modulus
            modulus *= p
        while value < 1 << (PRECISION[prefix] - 1):
            value += modulus
        assert value < 1 << PRECISION[prefix]
        return float(value)

    def make(rng, m, k, n, prefix):
        return (np.full((m, k), integer(prefix, left)).astype(DTYPE[prefix]),
                np.full((k, n), integer(prefix, right)).astype(DTYPE[prefix]))

    return make


OPERANDS = {
    "small_residues": small_residues(127, 127), "small_residues_minus": small_residues(-1, 127),
    "small_residues_low": small_residues(-127, -127), "small_residues_row": small_residues(127, -1),
    # Integers next to p / 2 modulo many p at once are the extreme signed residues, next to p the unsigned ones.
    "residues_signed": extreme_residues(lambda p: p // 2, lambda p: p // 2),
    "residues_mixed": extreme_residues(lambda p: p - 1, lambda p: p // 2),
    "residues_unsigned": extreme_residues(lambda p: p - 1, lambda p: p - 1),
    # The largest moduli in which -1 is a square, and whose prime factors have that too.
    "residues_split": extreme_residues(lambda p: p // 2, lambda p: p // 2, (241, 233, 229, 221, 205, 197, 193)),
}
