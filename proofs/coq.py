"""Translates statements, as cpp.py reads them, to Coq: they become a chain of `let`, and loops become the combinators of Semantics.v."""
from coq_expressions import Expressions
from cpp import Unreadable


class Translator(Expressions):
    """Its constructor is that of `Expressions`."""

    given = None  # the kind of the value that was returned last

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
            if isinstance(self.returned, str):
                value = self.convert(value, self.returned)
            elif self.returned and s[1][0] == "list":
                value = ("(" + ", ".join(self.convert(self.expression(i), k)[0] for i, k in zip(s[1][1], self.returned)) + ")", "any")
            if value[1] == "R64" and self.kind_of("double") == "X64":
                value = self.convert(value, "X64")
            self.given = value[1]
            return give(value[0])
        if s[0] == "if":
            condition = self.convert(self.expression(s[1]), "bool")[0]
            if self.returns(s[2]) or self.returns(s[3]) or (not rest and not s[3] and s[2][-1][0] == "call"):
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
