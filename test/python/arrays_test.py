"""How the Python package reads layouts: a matrix is passed with its strides, and one that BLAS can read as it lies is not copied."""

import itertools
import unittest

import numpy
from accublas import _prototypes as api
from accublas._kinds import View
from accublas.arrays import collapsed, stored, vector


class Layouts(unittest.TestCase):
    def test_stored(self):
        """The elements that the routine would read are those of op(A), for every matrix of up to 3 x 3 within one array."""
        for rows, columns in itertools.product(range(4), repeat=2):
            for row_stride, column_stride in itertools.product(range(-5, 6), repeat=2):
                view = View(0, (rows, columns), (row_stride, column_stride), None)
                for op in "NTC":
                    found = stored(view, op)
                    can = (columns <= 1 or column_stride == 1) and (rows <= 1 or row_stride >= max(1, columns))
                    can_columns = op != "C" and (rows <= 1 or row_stride == 1) and (columns <= 1 or column_stride >= max(1, rows))
                    self.assertEqual(found is not None, can or can_columns or rows * columns == 0, (view, op))
                    if found is None:
                        continue
                    trans, ld = found
                    turned = (trans != api.NO_TRANS) != (op != "N")
                    self.assertGreaterEqual(ld, max(1, rows if turned else columns))
                    for i, j in itertools.product(range(rows), range(columns)):
                        self.assertEqual(j * ld + i if turned else i * ld + j, i * row_stride + j * column_stride, (view, op, found))
                    self.assertEqual(trans == api.CONJ_TRANS, op == "C")

    def test_vector(self):
        self.assertEqual(vector(View(1000, (4,), (-2,), None), 8), (1000 - 48, -2))
        self.assertEqual(vector(View(1000, (4,), (3,), None), 8), (1000, 3))
        self.assertEqual(vector(View(1000, (1,), (-7,), None), 8), (1000, 1))

    def test_collapsed(self):
        """Stacks keep the addresses of their matrices in order."""
        base = numpy.arange(2 * 3 * 4 * 5 * 6).reshape(2, 3, 4, 5, 6)
        for array in (base, base[::-1], base[:, ::2], numpy.moveaxis(base, 0, 2), base[:, :1], base[:1, :, :1], base[0, 0]):
            view = View(0, array.shape, tuple(stride // 8 for stride in array.strides), None)
            (found,) = collapsed([view])
            addresses = [sum(i * s for i, s in zip(index, view.strides)) for index in numpy.ndindex(array.shape[:-2])]
            self.assertEqual([sum(i * s for i, s in zip(index, found.strides)) for index in numpy.ndindex(found.shape[:-2])], addresses)
            self.assertEqual(found.shape[-2:], array.shape[-2:])
        self.assertEqual(collapsed([View(0, (2, 3, 4, 5), (60, 20, 5, 1), None)])[0].shape, (6, 4, 5))


if __name__ == "__main__":
    unittest.main()
