"""Translates trees of cpp.py to Coq: statements become a chain of `let`, loops become the combinators of Semantics.v.

A value has a kind. Z: a signed integer, exact (its range is a theorem's matter). u8, u16, u32, u64, u128: an unsigned integer; sums, differences, products and shifts
wrap around. s8, s16, s32, s64 appear as targets of casts alone, which wrap around, and are Z then. R64, R32: a real number that is a double or a float; every operation
is the exact one and a rounding, in the order of the source. bool. R: an exact real number. Q: the two integers of a quotient, which
another definition rounds. any: what the caller's tables say.
"""
import re
from fractions import Fraction

from cpp import Unreadable

KINDS = {"int": "Z", "Index": "Z", "int64_t": "Z", "int32_t": "Z", "int16_t": "Z", "int8_t": "Z", "long long": "Z", "size_t": "u64", "uint8_t": "u8", "uint16_t": "u16",
         "uint32_t": "u32", "unsigned": "u32", "uint64_t": "u64", "Uint128": "u128", "double": "R64", "float": "R32", "bool": "bool"}
WRAPS = {"int": "s32", "Index": "s64", "int64_t": "s64", "int32_t": "s32", "int16_t": "s16", "int8_t": "s8", "long long": "s64"}
ROUND = {"R64": "rd64", "R32": "rd32"}
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


class Translator:
    """`paths`: {"table.fraction": ("fraction", "R64")}, what member expressions mean; an index inside is written "[]" and becomes an argument of the Coq function.
    `calls`: {"f": ("coq_f", kind)}, functions by their C++ name; `types`: {"T": "R64"}, kinds of types by name; a kind "any" is passed on.
    `fuel`: turns that a loop takes at most whose end is not plain. `drop`: paths whose assignments are left out. `fields`: {"modulus": ("coq_f", kind)}, members of what
    a call returns. `returned`: kinds of the items of a returned list. `defaults`: values of variables that are declared without one, or with an empty list."""

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
        for kind in ("any", "Q", "R", "R64", "R32", "u128", "u64", "u32"):
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
            name = "(" + " ".join([name] + [self.convert(self.expression(i), "Z")[0] for i in indices]) + ")"
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
                return (written(value), kind)
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
            if kind in ("R", "R64", "R32"):
                x, y, sign = (y, x, sign.replace(">", "<")) if ">" in sign else (x, y, sign)
                text = {"<": "Rlt_bool", "<=": "Rle_bool", "==": "Req_bool", "!=": "Req_bool"}[sign]
                return (f"(negb ({text} {x} {y}))" if sign == "!=" else f"({text} {x} {y})", "bool")
            if sign == "!=":
                return (f"(negb ({x} =? {y}))", "bool")
            return (f"({x} {sign if sign != '==' else '='}? {y})", "bool")
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
            if coq == "Rabs" and kind == "Z":
                return (f"(Z.abs {values[0][0]})", "Z")
            values = [self.convert(v, kind)[0] for v in values]
            if coq == "fma":
                return (f"({ROUND[kind]} ({values[0]} * {values[1]} + {values[2]})%R)", kind)
            if coq == "sqrt":
                return (f"({ROUND[kind]} (sqrt {values[0]}))", kind)
            return (f"({coq} {values[0]})", kind)
        raise Unreadable(f"unknown function {name}")

    # Statements.

    def assigned(self, statements):
        """The variables that the statements change and do not declare."""
        out, own = [], set()

        def add(name):
            if name not in own and name not in out:
                out.append(name)
        for s in statements:
            inner = []
            if s[0] == "declare":
                own.add(s[2])
                inner = self.stepped(s[3])
            elif s[0] == "bind":
                own.update(s[1])
            elif s[0] == "assign" and not self.dropped(s):
                add(self.target(s[2]))
                inner = self.stepped(s[2])
            elif s[0] == "if":
                inner = self.assigned(s[2]) + self.assigned(s[3])
            elif s[0] == "for":
                inner = self.assigned(s[1] + s[4] + s[3])
            elif s[0] == "while":
                inner = self.assigned(s[2])
            for name in inner:
                add(name)
        return out

    def stepped(self, e):
        """The variables that x++ inside of an expression changes."""
        if not isinstance(e, tuple):
            return [n for i in e for n in self.stepped(i)] if isinstance(e, list) else []
        if e[0] == "post":
            return [self.target(e[2])]
        return [n for i in e[1:] for n in self.stepped(i)]

    def unstepped(self, e):
        """The expression without x++: the value of x before."""
        if isinstance(e, list):
            return [self.unstepped(i) for i in e]
        if not isinstance(e, tuple):
            return e
        return self.unstepped(e[2]) if e[0] == "post" else tuple(self.unstepped(i) for i in e)

    def target(self, e):
        """The Coq variable that an assignment to e changes."""
        text, _ = self.path(self.unstepped(e))
        plain = text
        while plain not in self.paths and plain.endswith("[]"):
            plain = plain[:-2]
        return self.paths[plain][0].split()[-1] if plain in self.paths else plain

    @staticmethod
    def returns(statements):
        return any(s[0] == "return" or (s[0] == "if" and (Translator.returns(s[2]) or Translator.returns(s[3])))
                   or (s[0] == "for" and Translator.returns(s[4])) or (s[0] == "while" and Translator.returns(s[2])) for s in statements)

    def tuple(self, names):
        names = [self.name(n) for n in names]
        return "tt" if not names else names[0] if len(names) == 1 else "(" + ", ".join(names) + ")"

    def pattern(self, names):
        return "_" if not names else self.name(names[0]) if len(names) == 1 else "'" + self.tuple(names)

    def steps(self, e):
        return "".join(f"let {self.name(n)} := ({self.name(n)} + 1) in\n" for n in self.stepped(e))

    def statements(self, list_, end, give=lambda text: text):
        """`end()`: the text behind the last statement; give(text): what `return` makes of its value."""
        if not list_:
            return end()
        s, rest = list_[0], list_[1:]
        following = lambda: self.statements(rest, end, give)
        if s[0] == "declare":
            kind = self.kind_of(s[1])
            if s[2] in self.defaults or s[3] is None:
                text, have = self.defaults.get(s[2], ("0", kind if kind not in ("auto", "any") else "Z"))
                if have in ("R64", "R32") and text == "0":
                    text = "0%R"
                if s[2] in self.defaults and s[2] in self.paths:
                    return f"let {self.paths[s[2]][0].split()[-1].rstrip(')')} := {text} in\n" + following()
                self.scope[s[2]] = have
                return f"let {self.name(s[2])} := {text} in\n" + following()
            value = self.convert(self.expression(self.unstepped(s[3])), kind)
            self.scope[s[2]] = value[1]
            name = self.paths[s[2]][0] if s[2] in self.paths else self.name(s[2])
            return f"let {name} := {value[0]} in\n" + self.steps(s[3]) + following()
        if s[0] == "bind":
            value = self.expression(s[2])
            kinds = self.types.get(" ".join(s[1]), ["Z"] * len(s[1]))
            self.scope.update(zip(s[1], kinds))
            return f"let {self.pattern(s[1])} := {value[0]} in\n" + following()
        if s[0] == "assign":
            return ("" if self.dropped(s) else self.assign(s)) + following()
        if s[0] == "lambda":
            captured = [n for n in dict.fromkeys(list(self.scope) + [p[0].split()[-1] for p in self.paths.values()]) if self.mentions(s[3], n)]
            outer = dict(self.scope)
            self.scope.update({n: self.kind_of(k) for k, n in s[2]})
            body = self.statements(s[3], lambda: "tt")
            kind = self.given or "any"
            self.scope = outer
            self.lambdas[s[1]] = (captured, kind, None)
            names = " ".join(self.name(n) for n in captured + [n for _, n in s[2]])
            return f"let {s[1]} := fun {names} =>\n{body} in\n" + following()
        if s[0] == "return":
            value = self.expression(s[1]) if s[1] is not None else ("tt", "any")
            if self.returned and s[1][0] == "list":
                value = ("(" + ", ".join(self.convert(self.expression(i), k)[0] for i, k in zip(s[1][1], self.returned)) + ")", "any")
            self.given = value[1]
            return give(value[0])
        if s[0] == "if":
            condition = self.convert(self.expression(s[1]), "bool")[0]
            if self.returns(s[2]) or self.returns(s[3]):
                scope = dict(self.scope)
                then = self.statements(s[2] + rest, end, give)
                self.scope = dict(scope)
                other = self.statements(s[3] + rest, end, give)
                return f"if {condition} then\n{then}\nelse\n{other}"
            names = self.assigned([s])
            scope = dict(self.scope)
            then = self.statements(s[2], lambda: self.tuple(names))
            self.scope = dict(scope)
            other = self.statements(s[3], lambda: self.tuple(names))
            self.scope = scope
            return f"let {self.pattern(names)} := if {condition} then\n{then} else {other} in\n" + following()
        if s[0] in ("for", "while"):
            return self.loop(s, following, give)
        if s[0] == "call" and not rest:  # what it returns is the function's
            return give(self.expression(s[1])[0])
        raise Unreadable(f"statement {s[0]}")

    def mentions(self, tree, name):
        if isinstance(tree, tuple) and tree and tree[0] in ("id", "member", "index"):
            try:
                text, indices = self.path(tree)
                while text not in self.paths and text.endswith("[]"):
                    text = text[:-2]
                if text in self.paths or text in self.scope:
                    return self.target(tree) == name or self.mentions(indices, name)
            except Unreadable:
                pass
        return isinstance(tree, (list, tuple)) and any(self.mentions(i, name) for i in tree)

    def dropped(self, s):
        return self.path(self.unstepped(s[2]))[0].replace("[]", "") in self.drop

    def assign(self, s):
        target, value_tree = s[2], s[3]
        name = self.target(target)
        value = self.expression(self.unstepped(value_tree))
        _, indices = self.path(self.unstepped(target))
        kind = self.paths_kind(target)
        if s[1] != "=":
            value = self.binary(s[1][:-1], self.expression(self.unstepped(target)), value)
        value = self.convert(value, kind)
        text = value[0]
        if len(indices) == 1 and self.indexed(target):
            text = f"(update {self.name(name)} {self.expression(indices[0])[0]} {text})"
        elif len(indices) == 2:
            text = f"(update2 {self.name(name)} {self.expression(indices[0])[0]} {self.expression(indices[1])[0]} {text})"
        elif indices:
            raise Unreadable(f"assignment to {target}")
        return f"let {self.name(name)} := {text} in\n" + self.steps(target) + self.steps(value_tree)

    def indexed(self, target):
        return "[]" in self.path(self.unstepped(target))[0]

    def paths_kind(self, target):
        return self.look_up(self.unstepped(target))[1]

    def loop(self, s, following, give):
        if s[0] == "while":
            init, condition, step, body = [], s[1], [], s[2]
        else:
            _, init, condition, step, body = s
        outer = dict(self.scope)
        first = init[0] if len(init) == 1 and init[0][0] == "declare" else None
        names = [n for n in self.assigned(body)]
        plain = (first and condition[0] == "binary" and condition[1] == "<" and condition[2] == ("id", first[2])
                 and step == [("assign", "+=", ("id", first[2]), ("num", "1"))] and first[2] not in names
                 and not any(self.mentions(condition[3], n) for n in names))
        if plain:
            begin = self.convert(self.expression(first[3]), "Z")[0]
            limit = self.convert(self.expression(condition[3]), "Z")[0]
            self.scope[first[2]] = "Z"
            head = lambda text, state: f"for_up {begin} {limit} (fun {self.name(first[2])} {state} =>\n{text})"
        else:
            own = [d[2] for d in init if d[0] == "declare"]
            names = list(dict.fromkeys(own + self.assigned(body + step)))
            for d in init:
                self.scope[d[2]] = self.kind_of(d[1])
            body = body + step
        if self.returns(body):
            state = ["returned"] + names
            inner = self.statements(body, lambda: self.tuple(["None"] + names), lambda text: "(" + ", ".join(["Some " + text] + [self.name(n) for n in names]) + ")")
            guarded = f"match returned with Some _ => {self.tuple(state)} | None =>\n{inner} end"
            state_names, start = state, ["None"] + names
        else:
            guarded = self.statements(body, lambda: self.tuple(names))
            state_names, start = names, names
        prefix = ""
        if plain:
            text = head(guarded, self.pattern(state_names)) + " " + self.tuple(start)
        else:
            test = self.convert(self.expression(condition), "bool")[0]
            if self.returns(body):
                test = f"match returned with Some _ => false | None => {test} end"
            prefix = "".join(f"let {self.name(d[2])} := {self.convert(self.expression(d[3]), self.kind_of(d[1]))[0]} in\n" for d in init)
            text = f"loop {self.fuel} (fun {self.pattern(state_names)} => {test}) (fun {self.pattern(state_names)} =>\n{guarded}) {self.tuple(start)}"
        self.scope = outer
        result = f"{prefix}let {self.pattern(state_names)} := {text} in\n"
        if self.returns(body):
            return result + f"match returned with Some value => {give('value')} | None =>\n{following()} end"
        return result + following()

    given = None
