"""Definitions for Sums.v: the sums of a line that int8_measure makes bounds of."""

OPERAND = "lib/cpu/int8/int8_operand.cpp"


def define(source):
    arrays = {"lines.norm": ("norm", "R64"), "lines.lambda": ("lambda", "R64"), "sums.lambda": ("sum_lambda", "R64"), "sums[].lambda": ("sum_lambda", "R64"),
              "sums[].squares": ("sum_squares", "R64")}
    source.part(OPERAND, "int8_measure", "const double slack", 3, ["norm", "lambda"], as_="measured",
                parameters="(norm lambda sum_squares sum_lambda : Z -> R) (k first i : Z)", scope={"k": "Z", "first": "Z", "i": "Z"}, paths=arrays)


MUTATIONS = [
    ("measured_bounds", OPERAND, "static_cast<double>(k + 8) * 0x1p-52", "static_cast<double>(k + 8) * 0x1p-54"),
    ("measured_bounds", OPERAND, "(0x1p-24 * (1 + 0x1p-50))", "0x1p-24"),
    ("measured_bounds", OPERAND, "sums[i].lambda < 0x1p53 ?", "sums[i].lambda < 0x1p54 ?"),
]
