"""Rewrites trees of cpp.py whose functions return a value and set variables of their caller: they return a list of the value and the variables.

`*out = e` becomes `out = e`, `return e` becomes `return {e, out}`, and a call f(..., &x) becomes a declaration of a temporary result and an assignment of x in front of the
statement. A struct whose members are all numbers becomes a variable for each member. A call for its effect becomes an assignment of what it changes, and that of a local lambda
its body.
"""
from cpp import Unreadable


def stars_removed(tree, names):
    if isinstance(tree, list):
        return [stars_removed(t, names) for t in tree]
    if not isinstance(tree, tuple):
        return tree
    if tree[:2] == ("unary", "*") and tree[2][0] == "id" and tree[2][1] in names:
        return tree[2]
    return tuple(stars_removed(t, names) for t in tree)


class OutParameters:
    """`out`: the function's own out-parameters. `functions`: {"f": [kinds of the value and of the out-parameters]}; `in_out`: those whose out-parameters are also read.
    `records`: {"x": {member: C++ type}}, variables of structs. `empty`: {C++ type: items of its value {}}. `joint` stands between the names of a struct and a member.
    `changes`: {"f": (places of the arguments that f changes, their kind)}; `inlined`: lambdas whose calls become their body."""

    def __init__(self, out=(), functions=None, in_out=(), records=None, empty=None, joint="_", changes=None, inlined=()):
        self.out, self.functions, self.in_out, self.records = list(out), functions or {}, set(in_out), records or {}
        self.empty, self.joint = empty or {}, joint
        self.types, self.count = {}, 0
        self.changes, self.inlined, self.lambdas = changes or {}, inlined, {}

    def function(self, body):
        return self.block(self.addressed(stars_removed(body, self.out)))

    def addressed(self, e):
        """An own out-parameter that is passed on is one of the function called."""
        if isinstance(e, list):
            return [self.addressed(t) for t in e]
        if not isinstance(e, tuple):
            return e
        if e[0] == "call" and isinstance(e[1], str) and e[1] in self.functions:
            return ("call", e[1], [("unary", "&", a) if a[0] == "id" and a[1] in self.out else self.addressed(a) for a in e[2]])
        return tuple(self.addressed(t) for t in e)

    # Structs.

    def split(self, e):
        """Members of structs as variables, and structs as arguments member by member."""
        if isinstance(e, list):
            return [i for t in e for i in ([("id", f"{t[1]}{self.joint}{m}") for m in self.records[t[1]]] if self.is_record(t) else [self.split(t)])]
        if not isinstance(e, tuple):
            return e
        if e[0] == "member" and self.is_record(e[1]):
            if e[2] not in self.records[e[1][1]]:
                raise Unreadable(f"no member {e[2]}")
            return ("id", f"{e[1][1]}{self.joint}{e[2]}")
        return tuple(self.split(t) for t in e)

    def is_record(self, e):
        return isinstance(e, tuple) and e[0] == "id" and e[1] in self.records

    def members(self, e):
        """The members of a struct's value, a list or another struct."""
        return [("id", f"{e[1]}{self.joint}{m}") for m in self.records[e[1]]] if self.is_record(e) else [self.split(i) for i in e[1]]

    # Calls.

    def calls_in(self, e):
        if isinstance(e, list):
            return [c for t in e for c in self.calls_in(t)]
        if not isinstance(e, tuple):
            return []
        own = [e] if e[0] == "call" and isinstance(e[1], str) and e[1] in self.functions and any(a[:2] == ("unary", "&") for a in e[2]) else []
        return own + [c for t in e[1:] for c in self.calls_in(t)]

    def hoisted(self, e):
        """Returns statements to stand in front, and the expression without calls that set variables. At most one such call: C++ does not order two."""
        found = self.calls_in(e)
        if not found:
            return [], e
        if len(found) > 1:
            raise Unreadable("two calls that set variables in one expression")
        call = found[0]
        targets = [a[2] for a in call[2] if a[:2] == ("unary", "&")]
        if any(self.reads(self.replaced(e, call, ("num", "0")), t) for t in targets):
            raise Unreadable(f"C++ does not say whether {targets} is read before the call or after it")
        self.count += 1
        names = [f"value{self.count}"] + [f"set{self.count}_{i}" for i in range(len(targets))]
        self.types[" ".join(names)] = self.functions[call[1]]
        kept = [a[2] if a[:2] == ("unary", "&") else a for a in call[2] if a[:2] != ("unary", "&") or call[1] in self.in_out]
        front = [("bind", names, ("call", call[1], kept))] + [("assign", "=", t, ("id", n)) for t, n in zip(targets, names[1:])]
        return front, self.replaced(e, call, ("id", names[0]))

    def reads(self, e, target):
        return e == target or (isinstance(e, (list, tuple)) and any(self.reads(t, target) for t in e))

    def replaced(self, e, old, new):
        if e == old:
            return new
        if isinstance(e, list):
            return [self.replaced(t, old, new) for t in e]
        return tuple(self.replaced(t, old, new) for t in e) if isinstance(e, tuple) else e

    # Statements.

    def block(self, statements):
        return [r for s in statements for r in self.statement(s)]

    def condition(self, c, then, other):
        """An if statement. A condition A || B, where A sets variables, becomes two statements, and ++x stands in front of its comparison."""
        if c[:2] == ("binary", "||") and not other and (self.calls_in(c) or "++" in str(c)):
            return self.condition(c[2], then, []) + self.condition(c[3], then, [])
        if c[0] == "binary" and c[2][:2] == ("unary", "++"):
            x = c[2][2]
            return [("assign", "+=", self.split(x), ("num", "1"))] + self.condition((c[0], c[1], x, c[3]), then, other)
        front, c = self.hoisted(c)
        return self.split(front) + [("if", self.split(c), self.block(then), self.block(other))]

    def effect(self, name, arguments):
        """A call whose value is not used."""
        if name in self.lambdas:
            parameters, body = self.lambdas[name]
            return self.block([("declare", kind, p, a) for (kind, p), a in zip(parameters, arguments)] + body)
        if name not in self.changes:
            raise Unreadable(f"what does {name} change?")
        places, kind = self.changes[name]
        targets = self.split([arguments[p] for p in places])
        self.count += 1
        names = [f"set{self.count}_{i}" for i in range(len(targets))]
        self.types[" ".join(names)] = [kind] * len(names)
        return [("bind", names, ("call", name, self.split(arguments)))] + [("assign", "=", t, ("id", n)) for t, n in zip(targets, names)]

    def statement(self, s):
        if s[0] == "call" and s[1][0] == "call":
            return self.effect(s[1][1], s[1][2])
        if s[0] == "lambda":
            if s[1] in self.inlined:
                self.lambdas[s[1]] = s[2:]
                return []
            return [s]
        if s[0] == "if":
            return self.condition(s[1], s[2], s[3])
        if s[0] == "for" and not self.calls_in(s[2]):
            return [("for", self.block(s[1]), self.split(s[2]), self.block(s[3]), self.block(s[4]))]
        if s[0] == "return":
            e = s[1]
            if e[0] == "call" and e[1] in self.functions:  # its out-parameters are this function's
                return [("return", ("call", e[1], self.split([a for a in e[2] if a[:2] != ("unary", "&")])))]
            return [("return", ("list", [self.split(e)] + [("id", n) for n in self.out]))] if self.out else [("return", self.split(e))]
        if s[0] == "declare" and s[2] in self.records:
            return [("declare", kind, f"{s[2]}{self.joint}{m}", i) for (m, kind), i in zip(self.records[s[2]].items(), self.members(s[3]))]
        if s[0] == "assign" and self.is_record(s[2]):
            return [("assign", "=", ("id", f"{s[2][1]}{self.joint}{m}"), i) for m, i in zip(self.records[s[2][1]], self.members(s[3]))]
        if s[0] == "declare" and s[3] is not None:
            front, e = self.hoisted(s[3])
            return self.split(front) + [("declare", s[1], s[2], self.split(e))]
        if s[0] == "assign":
            front, e = self.hoisted(s[3])
            return self.split(front) + [("assign", s[1], self.split(s[2]), self.split(e))]
        if s[0] == "declare":
            return [("declare", "auto", s[2], ("list", self.empty[s[1]])) if s[1] in self.empty else s]
        raise Unreadable(f"statement {s[0]}")


class Rewritten:
    """A header whose functions in `rules` (names: OutParameters) are rewritten."""

    def __init__(self, header, rules):
        self.header, self.rules = header, rules

    def function(self, name, which=0):
        parameters, body = self.header.function(name, which)
        return parameters, self.rules[name].function(body) if name in self.rules else body

    def part(self, name, first, count, which=0):
        body = self.header.part(name, first, count, which)
        return self.rules[name].function(body) if name in self.rules else body

    def constant(self, name):
        return self.header.constant(name)
