"""Translates expressions, as cpp.py reads them, to Coq.

A value has a kind. Z: a signed integer, exact (its range is a theorem's matter). u8, u16, u32, u64, u128: an unsigned integer; sums, differences, products and shifts
wrap around. s8, s16, s32, s64 appear as targets of casts alone, which wrap around, and are Z then. R64, R32: a real number that is a double or a float; every operation
is the exact one and a rounding, in the order of the source. X64, X32: a double or a float that may be infinite or NaN, with the operations of Extended.v. bool. R: an exact real
number. Q: the two integers of a quotient, which another definition rounds. any: what the caller's tables say.
"""
import re
from fractions import Fraction

from cpp import Unreadable

KINDS = {"int": "Z", "Index": "Z", "int64_t": "Z", "int32_t": "Z", "int16_t": "Z", "int8_t": "Z", "long long": "Z", "size_t": "u64", "uint8_t": "u8", "uint16_t": "u16",
         "uint32_t": "u32", "unsigned": "u32", "uint64_t": "u64", "Uint128": "u128", "double": "R64", "float": "R32", "bool": "bool"}
WRAPS = {"int": "s32", "Index": "s64", "int64_t": "s64", "int32_t": "s32", "int16_t": "s16", "int8_t": "s8", "long long": "s64"}
ROUND = {"R64": "rd64", "R32": "rd32"}
EXTENDED = {"+": "xadd", "-": "xsub", "*": "xmul", "/": "xdiv", "<": "xlt", "<=": "xle", "==": "xeq"}  # of X64
UNSIGNED = ("u8", "u16", "u32", "u64", "u128")
# name: (Coq function, kind of the result, kinds of the arguments)
BUILTIN = {
    "fma": ("fma", None, None), "__fmaf_rn": ("fma", "R32", None), "__fma_rn": ("fma", "R64", None),
    "__dadd_rn": ("+", "R64", None), "__dsub_rn": ("-", "R64", None), "__dmul_rn": ("*", "R64", None),
    "absolute": ("Rabs", None, None), "fabs": ("Rabs", None, None), "abs": ("Rabs", None, None), "__int2float_rn": ("rd32 (IZR", "R32", None),
    "sqrt": ("sqrt", None, None), "is_zero": ("is_zero", "bool", None),
}


def real(text):
    """The exact value of a literal."""
    text = text.replace("'", "")
    hexadecimal = re.fullmatch(r"0[xX]([0-9a-fA-F]+)\.?([0-9a-fA-F]*)(?:[pP]([+-]?\d+))?[fFlL]?", text)
    if hexadecimal and (hexadecimal[3] is not None):
        return Fraction(int(hexadecimal[1] + hexadecimal[2], 16), 16 ** len(hexadecimal[2])) * Fraction(2) ** int(hexadecimal[3])
    return Fraction(text.rstrip("fFlL"))


def written(value):
    """A rational number as a Coq real, powers of two as bpow."""
    power = value.denominator.bit_length() - 1
    if value.denominator == 1:
        return f"(IZR ({value.numerator}))"
    if value.denominator == 1 << power and power > 60:
        return f"(IZR ({value.numerator}) * bpow radix2 ({-power}))%R"
    return f"(IZR ({value.numerator}) / IZR {value.denominator})%R"


class Expressions:
    """`paths`: {"table.fraction": ("fraction", "R64")}, what member expressions mean; an index inside is written "[]" and becomes an argument of the Coq function.
    `calls`: {"f": ("coq_f", kind)}, functions by their C++ name; `types`: {"T": "R64"}, kinds of types by name; a kind "any" is passed on.
    `fuel`: turns that a loop takes at most whose end is not plain. `drop`: paths whose assignments are left out. `fields`: {"modulus": ("coq_f", kind)}, members of what
    a call returns. `returned`: the kind of what is returned, or the kinds of the items of a returned list. `defaults`: values of variables that are declared without one, or with an empty list."""

    def __init__(self, paths=None, calls=None, types=None, fuel=1000, defaults=None, drop=(), fields=None, returned=None):
        self.drop, self.fields, self.returned = drop, fields or {}, returned
        self.paths, self.calls, self.types, self.fuel = paths or {}, calls or {}, types or {}, fuel
        self.defaults = defaults or {}
        self.scope = {}  # C++ name: kind
        self.lambdas = {}  # name: (captured names, kind)

    def kind_of(self, text):
        text = text.replace(" *", "").strip()
        if text in self.types:
            return self.types[text]
        return KINDS.get(text, "auto" if text in ("auto", "") else "any")

    # Conversions.

    def convert(self, value, kind):
        text, have = value
        if kind in ("auto", "any", None) or have == kind or have == "any":
            return (text, have if kind in ("auto", None) else kind)
        integer = have in UNSIGNED or have in ("Z", "bool")
        if have == "bool" and kind != "bool":
            text, have = f"(Z.b2z {text})", "Z"
        if kind == "X64":
            return (text if have == "X32" else f"(Some {self.convert((text, have), 'R64')[0]})", kind)
        if kind == "X32" and have == "X64":
            return (f"(xfloat {text})", kind)
        if kind == "bool":
            return (f"(negb ({text} =? 0))" if integer else f"(negb (Req_bool {text} 0))", "bool")
        if kind in ROUND:
            if re.fullmatch(r"\d{1,7}", text):
                return (f"(IZR {text})", kind)  # exact
            if integer:
                return (f"({ROUND[kind]} (IZR {text}))", kind)
            return (f"({ROUND[kind]} {text})" if (have, kind) != ("R32", "R64") else text, kind)
        if kind == "Q" and integer:
            return (text, kind)
        if kind == "R":
            return (f"(IZR {text})" if integer else text, "R")
        if kind == "Z":
            return (text, "Z") if integer else (f"(Ztrunc {text})", "Z")
        if kind in UNSIGNED:
            bits = int(kind[1:])
            if have in UNSIGNED and int(have[1:]) <= bits:
                return (text, kind)
            return (f"(wrap {bits} {text})", kind) if integer else (f"(wrap {bits} (Ztrunc {text}))", kind)
        raise Unreadable(f"no conversion of {have} to {kind}: {text}")

    def common(self, a, b):
        for kind in ("any", "Q", "R", "X64", "R64", "R32", "u128", "u64", "u32"):
            if kind in (a, b):
                return kind if kind != "any" else (b if a == "any" else a)
        return "Z"

    # Expressions.

    def path(self, e):
        """Returns the text of a member expression and its indices."""
        if e[0] == "id":
            return e[1], []
        if e[0] == "member":
            text, indices = self.path(e[1])
            return f"{text}.{e[2]}", indices
        if e[0] == "index":
            text, indices = self.path(e[1])
            return text + "[]", indices + [e[2]]
        raise Unreadable(f"no path: {e}")

    def look_up(self, e):
        text, indices = self.path(e)
        plain = text
        while plain not in self.paths and plain.endswith("[]"):
            plain = plain[:-2]
        if plain in self.paths:
            name, kind = self.paths[plain]
        elif plain in self.scope:
            name, kind = self.name(plain), self.scope[plain]
        else:
            raise Unreadable(f"unknown name {text}")
        if indices:
            values = [self.convert(self.expression(i), "Z")[0] for i in indices]
            name = "(" + " ".join([name] + [v + "%Z" if v.isdigit() else v for v in values]) + ")"  # perhaps among reals
        return name, kind

    @staticmethod
    def name(text):
        return text if text not in ("end", "at", "as", "in", "fix", "left", "right", "fst", "snd", "S", "exists", "forall") else text + "_"

    def expression(self, e):
        op = e[0]
        if op == "num":
            text = e[1]
            point = re.search(r"[.]|[pP]", text) if re.match(r"0[xX]", text) else re.search(r"[.eE]|[fF]$", text)
            if point:
                value, kind = real(text), "R32" if text[-1] in "fF" and not re.fullmatch(r"0[xX][0-9a-fA-F]+", text) else "R64"
                exact = value.denominator & value.denominator - 1 == 0 and value.numerator < 1 << 24
                return (written(value) if exact else f"({ROUND[kind]} {written(value)})", kind)
            suffix = re.search(r"[uUlL]+$", text)
            value = int(text.rstrip("uUlL").replace("'", ""), 0)
            if suffix and "u" in suffix[0].lower():
                return (str(value), "u64" if "l" in suffix[0].lower() else "u32")
            return (str(value), "u32" if 1 << 31 <= value < 1 << 32 else "Z")
        if op == "member" and e[1][0] == "call":
            name, kind = self.fields[e[2]]
            return (f"({name} {self.expression(e[1])[0]})", kind)
        if op in ("id", "member", "index"):
            if e == ("id", "true") or e == ("id", "false"):
                return (e[1], "bool")
            return self.look_up(e)
        if op == "cast":
            value = self.expression(e[2])
            wraps = WRAPS.get(e[1].strip())
            kind = self.kind_of(e[1])
            if kind == "Z" and wraps and value[1] in ("u64", "u128", "Z", "u32"):
                return (f"(wraps {wraps[1:]} {value[0]})", "Z")
            if kind in ROUND and value[1] == kind:
                return value
            return self.convert(value, kind)
        if op == "unary":
            value = self.expression(e[2])
            if e[1] == "+" or e[1] == "*":
                return value
            if e[1] == "!":
                return (f"(negb {self.convert(value, 'bool')[0]})", "bool")
            if e[1] == "-":
                if value[1] in UNSIGNED:
                    return (f"(wrap {value[1][1:]} (- {value[0]}))", value[1])
                if value[1] == "X64":
                    return (f"(xneg {value[0]})", value[1])
                return (f"(- {value[0]})" + ("%R" if value[1][0] == "R" else ""), value[1])
            if e[1] == "~" and value[1] in UNSIGNED:
                return (f"(wrap {value[1][1:]} (Z.lnot {value[0]}))", value[1])
            raise Unreadable(f"unary {e[1]}")
        if op == "cond":
            a, b = self.expression(e[2]), self.expression(e[3])
            kind = a[1] if a[1] == b[1] else self.common(a[1], b[1])
            return (f"(if {self.convert(self.expression(e[1]), 'bool')[0]} then {self.convert(a, kind)[0]} else {self.convert(b, kind)[0]})", kind)
        if op == "binary":
            return self.binary(e[1], self.expression(e[2]), self.expression(e[3]))
        if op == "list":
            items = [self.expression(i)[0] for i in e[1]]
            return ("(" + ", ".join(items) + ")" if items else "tt", "any")
        if op == "call":
            return self.call(e[1], e[2])
        raise Unreadable(f"expression {op}")

    def binary(self, sign, a, b):
        if sign in ("&&", "||"):
            return (f"({self.convert(a, 'bool')[0]} {sign} {self.convert(b, 'bool')[0]})%bool", "bool")
        if sign in ("<<", ">>"):
            a = a if a[1] in UNSIGNED else self.convert(a, "Z")
            kind = "u32" if a[1] in ("u8", "u16") else a[1]
            shift = self.convert(b, "Z")[0]
            if sign == ">>":
                return (f"(Z.shiftr {a[0]} {shift})", kind)
            return (f"(wrap {kind[1:]} (Z.shiftl {a[0]} {shift}))" if kind in UNSIGNED else f"(Z.shiftl {a[0]} {shift})", kind)
        kind = self.common(a[1], b[1])
        x, y = self.convert(a, kind)[0], self.convert(b, kind)[0]
        if sign in ("<", ">", "<=", ">=", "==", "!="):
            if kind == "X64":
                x, y, sign = (y, x, sign.replace(">", "<")) if ">" in sign else (x, y, sign)
                if y == "None" and sign == "==":
                    return (f"(negb (xfinite {x}))", "bool")
                return (f"(negb (xeq {x} {y}))" if sign == "!=" else f"({EXTENDED[sign]} {x} {y})", "bool")
            if kind in ("R", "R64", "R32"):
                x, y, sign = (y, x, sign.replace(">", "<")) if ">" in sign else (x, y, sign)
                text = {"<": "Rlt_bool", "<=": "Rle_bool", "==": "Req_bool", "!=": "Req_bool"}[sign]
                return (f"(negb ({text} {x} {y}))" if sign == "!=" else f"({text} {x} {y})", "bool")
            if sign == "!=":
                return (f"(negb ({x} =? {y}))", "bool")
            return (f"({x} {sign if sign != '==' else '='}? {y})", "bool")
        if kind == "X64":
            return (f"({EXTENDED[sign]} {x} {y})", kind)
        if kind == "Q" and sign == "/":
            return (f"({x}, {y})", kind)
        if kind in ROUND:
            if sign not in "+-*/":
                raise Unreadable(f"operator {sign} on floating-point numbers")
            return (f"({ROUND[kind]} ({x} {sign} {y})%R)", kind)
        if kind == "R":
            return (f"({x} {sign} {y})%R", kind)
        name = {"/": "Z.quot", "%": "Z.rem", "&": "Z.land", "|": "Z.lor", "^": "Z.lxor"}.get(sign)
        text = f"({name} {x} {y})" if name else f"({x} {sign} {y})"
        return (f"(wrap {kind[1:]} {text})" if kind in UNSIGNED and sign in "+-*" else text, kind)

    def call(self, name, arguments):
        if not isinstance(name, str):
            text, values = self.path(name)
            if text not in self.calls and name[0] == "member" and "." + name[2] in self.calls:  # a method: its object is the first argument
                text, arguments = "." + name[2], [name[1]] + arguments
            name = text
        values = [self.expression(a) for a in arguments]
        if name in self.lambdas:
            captured, kind, _ = self.lambdas[name]
            return ("(" + " ".join([name] + [self.name(c) for c in captured] + [v[0] for v in values]) + ")", kind)
        if name in ("max", "min") and all(v[1] == "Z" for v in values):
            return (f"(Z.{name} {values[0][0]} {values[1][0]})", "Z")
        if name in self.calls:
            row = self.calls[name]
            kinds = row[2] if len(row) > 2 else [None] * len(values)
            return ("(" + " ".join([row[0]] + [self.convert(v, k)[0] for v, k in zip(values, kinds)]) + ")", row[1])
        if name in BUILTIN:
            coq, kind, _ = BUILTIN[name]
            if coq in ("+", "-", "*"):
                return self.binary(coq, self.convert(values[0], kind), self.convert(values[1], kind))
            kind = kind or values[0][1]
            if coq == "rd32 (IZR":
                return (f"(rd32 (IZR {values[0][0]}))", "R32")
            if coq == "is_zero":
                return (f"(Req_bool {values[0][0]} 0)", "bool")
            if coq == "Rabs" and kind == "X64":
                return (f"(xabs {values[0][0]})", kind)
            if coq == "Rabs" and kind == "Z":
                return (f"(Z.abs {values[0][0]})", "Z")
            values = [self.convert(v, kind)[0] for v in values]
            if coq == "fma":
                return (f"({ROUND[kind]} ({values[0]} * {values[1]} + {values[2]})%R)", kind)
            if coq == "sqrt" and kind == "X64":
                return (f"(xsqrt {values[0]})", kind)
            if coq == "sqrt":
                return (f"({ROUND[kind]} (sqrt {values[0]}))", kind)
            return (f"({coq} {values[0]})", kind)
        raise Unreadable(f"unknown function {name}")
