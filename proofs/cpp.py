"""Reads the subset of C++ in which the numerics are written: functions of declarations, assignments, if, for, while and return.

Trees are tuples. Expressions: ("num", text), ("id", name), ("member", e, name), ("index", e, i), ("call", name, [args]),
("cast", type, e), ("unary", op, e), ("post", op, e), ("binary", op, a, b), ("cond", c, a, b), ("list", [items]).
Statements: ("declare", type, name, e or None), ("bind", [names], e), ("lambda", name, parameters, body), ("assign", op, target, e),
("if", c, then, other), ("for", [init], c, [step], body), ("while", c, body), ("return", e), ("call", e).
"""
import pathlib
import re

TOKEN = re.compile(r"""
  (?P<number>0[xX][0-9a-fA-F']+(\.[0-9a-fA-F]*)?([pP][+-]?\d+)?[uUlLfF]* | \d[\d']*\.?\d*([eE][+-]?\d+)?[uUlLfF]* | \.\d+)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<string>"(\\.|[^"\\])*" | '(\\.|[^'\\])*')
  | (?P<sign><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|[-+*/%<>=!&|^~?:;,.(){}\[\]\#])
""", re.X)

LEVELS = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
          "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=")
CASTS = ("static_cast", "reinterpret_cast", "const_cast")
# Words that may stand before a type, or in it.
QUALIFIERS = ("const", "constexpr", "static", "inline", "auto", "unsigned", "signed", "long", "typename")


class Unreadable(Exception):
    """The text is outside of the subset, or what is looked for is not there."""


def tokens(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^#ifdef __CUDA_ARCH__$.*?^(#else$(.*?)^)?#endif$", lambda m: m[2] or "", text, flags=re.S | re.M)  # the host's lines; the device has its intrinsics
    text = re.sub(r"^[ \t]*#[^\n]*", " ", text, flags=re.M)
    out, at = [], 0
    while at < len(text):
        if text[at].isspace() or text[at] == "\\":
            at += 1
            continue
        match = TOKEN.match(text, at)
        if not match:
            raise Unreadable(f"unknown character {text[at]!r}")
        out.append(match.group())
        at = match.end()
    return out


class Parser:
    """Reads `list` from position `at`. `types`: names of types other than those that look like one."""

    def __init__(self, token_list, at=0, types=()):
        self.list, self.at, self.types = token_list, at, set(types)

    def peek(self, ahead=0):
        return self.list[self.at + ahead] if self.at + ahead < len(self.list) else ""

    def take(self, wanted=None):
        token = self.peek()
        if wanted is not None and token != wanted:
            raise Unreadable(f"expected {wanted!r} before {' '.join(self.list[self.at:self.at + 12])!r}")
        self.at += 1
        return token

    def accept(self, wanted):
        if self.peek() == wanted:
            self.at += 1
            return True
        return False

    # Types and names.

    def after_angles(self, at):
        """Returns the position behind a template's arguments that begin at `at`, or None."""
        depth = 0
        for i in range(at, min(at + 60, len(self.list))):
            token = self.list[i]
            if token in (";", "{", "}"):
                return None
            depth += {"<": 1, ">": -1, ">>": -2}.get(token, 0)
            if depth <= 0:
                return i + 1
        return None

    def type_at(self, at):
        """Returns the position behind a type that begins at `at`, or None."""
        begin = at
        while at < len(self.list) and self.list[at] in QUALIFIERS:
            at += 1
        named = any(t in ("auto", "unsigned", "signed", "long") for t in self.list[begin:at])
        if at < len(self.list) and re.match(r"[A-Za-z_]", self.list[at]) and not (named and self.list[at + 1] in ("=", "{", ",", ";", ")")):
            at += 1
            while at + 1 < len(self.list) and self.list[at] == "::":
                at += 2
            if at < len(self.list) and self.list[at] == "<":
                at = self.after_angles(at)
                if at is None:
                    return None
        elif not named:
            return None
        while at < len(self.list) and self.list[at] in ("*", "&", "&&", "const"):
            at += 1
        return at

    def declares(self):
        """Whether a declaration begins here."""
        behind = self.type_at(self.at)
        if behind is None or behind + 1 >= len(self.list):
            return False
        if self.peek() in QUALIFIERS and self.list[behind] == "[":
            return True
        return bool(re.match(r"[A-Za-z_]", self.list[behind])) and self.list[behind + 1] in ("=", "{", ",", ";", "[", ":")

    def type(self):
        behind = self.type_at(self.at)
        if behind is None:
            raise Unreadable(f"no type: {self.peek()!r}")
        text = [t for t in self.list[self.at:behind] if t not in ("const", "constexpr", "static", "inline", "&", "std", "::")]
        self.at = behind
        return " ".join(text)

    # Expressions.

    def expression(self, level=0):
        left = self.unary()
        while True:
            token = self.peek()
            if LEVELS.get(token, 0) > level:
                self.take()
                left = ("binary", token, left, self.expression(LEVELS[token]))
            elif token == "?" and level == 0:
                self.take()
                then = self.expression()
                self.take(":")
                left = ("cond", left, then, self.expression())
            else:
                return left

    def unary(self):
        token = self.peek()
        if token in ("-", "+", "!", "~", "++", "--", "*", "&"):
            self.take()
            return ("unary", token, self.unary())
        return self.postfix(self.primary())

    def arguments(self, end):
        out = []
        while not self.accept(end):
            out.append(self.expression())
            if self.peek() != end:
                self.take(",")
        return out

    def primary(self):
        token = self.take()
        if token == "(":
            inner = self.expression()
            self.take(")")
            return inner
        if token == "{":
            return ("list", self.arguments("}"))
        if token == "true" or token == "false":
            return ("id", token)
        if token in CASTS:
            self.take("<")
            kind = self.type()
            self.take(">")
            self.take("(")
            inner = self.expression()
            self.take(")")
            return ("cast", kind, inner)
        if re.match(r"[0-9.]", token):
            return ("num", token)
        if not re.match(r"[A-Za-z_]", token):
            raise Unreadable(f"no expression at {token!r}")
        while self.peek() == "::":
            self.take()
            inner = self.take()
            token = inner if token in ("std", "detail", "ptx") else token + "::" + inner
        arguments = []
        if self.peek() == "<":
            behind = self.after_angles(self.at)
            if behind is not None and self.list[self.at + 1:behind - 1] == ["T"] and self.list[behind] in (")", "?"):  # a variable template
                self.at = behind
                return ("id", token)
            if behind is not None and behind < len(self.list) and self.list[behind] in ("(", "{"):
                arguments = self.list[self.at + 1:behind - 1]
                self.at = behind
            elif behind is not None and self.list[behind] == "::":  # a member of a class template
                token = "".join([token] + self.list[self.at:behind + 2])
                self.at = behind + 2
        if self.peek() == "(":
            self.take()
            return ("call", "<".join([token] + [" ".join(arguments)] * bool(arguments)) + ">" * bool(arguments), self.arguments(")"))
        if self.peek() == "{" and (arguments or token[0].isupper()) or (token in ("double", "int", "Index", "int64_t", "uint64_t") or token in self.types) and self.peek() == "{":
            self.take()
            inner = self.arguments("}")
            return ("cast", token, inner[0]) if len(inner) == 1 and token not in self.types else ("list", inner)
        return ("id", token)

    def postfix(self, e):
        while True:
            token = self.peek()
            if token in (".", "->"):
                self.take()
                name = self.take()
                e = ("member", e, name)
                if self.peek() == "(":
                    self.take()
                    e = ("call", ("member", e[1], name), self.arguments(")"))
            elif token == "[":
                self.take()
                e = ("index", e, self.expression())
                self.take("]")
            elif token in ("++", "--"):
                self.take()
                e = ("post", token, e)
            else:
                return e

    # Statements.

    def block(self):
        if not self.accept("{"):
            return self.statement()
        out = []
        while not self.accept("}"):
            out += self.statement()
        return out

    def parameters(self):
        """Returns (type, name) for each; the opening parenthesis has been read."""
        out = []
        while not self.accept(")"):
            kind = self.type()
            if self.accept("("):  # a reference to an array
                self.take("&")
                out.append((kind, self.take()))
                while self.take() != "]":
                    pass
            else:
                out.append((kind, self.take() if self.peek() not in (",", ")") else ""))
            if self.peek() == "=":
                self.take()
                self.expression()
            if self.peek() != ")":
                self.take(",")
        return out

    def declaration(self):
        kind = self.type()
        if self.peek() == "[":
            self.take()
            names = []
            while not self.accept("]"):
                names.append(self.take())
                self.accept(",")
            self.take("=")
            return [("bind", names, self.expression())]
        out = []
        while True:
            name = self.take()
            if self.peek() == "[":
                while self.peek() not in ("=", "{", ";", ","):
                    self.take()
            if self.peek() == "=" and self.peek(1) == "[":
                self.at += 2
                while self.take() != "]":
                    pass
                self.take("(")
                parameters = self.parameters()
                if self.accept("__attribute__"):
                    self.take("(")
                    self.arguments(")")
                out.append(("lambda", name, parameters, self.block()))
            elif self.accept("="):
                out.append(("declare", kind, name, self.expression()))
            elif self.peek() == "{":
                self.take()
                items = self.arguments("}")
                out.append(("declare", kind, name, ("list", items) if items else None))
            else:
                out.append(("declare", kind, name, None))
            if not self.accept(","):
                return out

    def simple(self):
        """A statement without its semicolon."""
        if self.declares():
            return self.declaration()
        e = self.expression()
        if self.peek() in ASSIGNMENTS:
            op = self.take()
            return [("assign", op, e, self.expression())]
        if e[0] in ("unary", "post") and e[1] in ("++", "--"):
            return [("assign", e[1][0] + "=", e[2], ("num", "1"))]
        return [("call", e)]

    def simples(self, end):
        out = []
        while not self.accept(end):
            out += self.simple()
            self.accept(",")
        return out

    def statement(self):
        token = self.peek()
        if token == "{":
            return self.block()
        if token == ";":
            self.take()
            return []
        if token == "return":
            self.take()
            e = None if self.peek() == ";" else self.expression()
            self.take(";")
            return [("return", e)]
        if token in ("if", "while"):
            self.take()
            self.accept("constexpr")
            self.take("(")
            first = []
            if token == "if" and self.declares():
                first = self.declaration()
                self.take(";")
            condition = self.expression()
            self.take(")")
            then = self.block()
            if token == "while":
                return [("while", condition, then)]
            return first + [("if", condition, then, self.block() if self.accept("else") else [])]
        if token == "do":  # the body once, and then a loop
            self.take()
            body = self.block()
            self.take("while")
            self.take("(")
            condition = self.expression()
            self.take(")")
            self.take(";")
            return body + [("while", condition, body)]
        if token == "for":
            self.take()
            self.take("(")
            init = self.simples(";")
            condition = self.expression()
            self.take(";")
            return [("for", init, condition, self.simples(")"), self.block())]
        if re.match(r"ACCUBLAS_WORDS$", token):  # a hint to unroll the loop
            self.take()
            self.take("(")
            self.arguments(")")
            return []
        out = self.simple()
        while self.accept(","):
            out += self.simple()
        self.take(";")
        return out


class Header:
    """A source file as tokens, with what can be looked up in it."""

    def __init__(self, root, path):
        self.path = path
        self.tokens = tokens(pathlib.Path(root, path).read_text())

    def bodies(self, name):
        for i, token in enumerate(self.tokens):
            if token != name or self.tokens[i + 1:i + 2] != ["("]:
                continue
            parser = Parser(self.tokens, i + 2)
            try:
                parameters = parser.parameters()
            except Unreadable:
                continue
            parser.accept("const")
            parser.accept("override")
            if parser.peek() == "{":
                yield parameters, parser.at

    def function(self, name, which=0):
        """Returns the parameters and the statements of the function, of the `which`-th with that name."""
        found = list(self.bodies(name))
        if which >= len(found):
            raise Unreadable(f"{self.path}: no function {name}")
        return found[which][0], Parser(self.tokens, found[which][1]).block()

    def part(self, name, first, count, which=0):
        """Returns `count` statements of a function, from the one that begins with the text `first`."""
        wanted = tokens(first)
        found = list(self.bodies(name))
        if which >= len(found):
            raise Unreadable(f"{self.path}: no function {name}")
        at = found[which][1]
        depth, i = 0, at
        while True:
            if i >= len(self.tokens) or (depth == 0 and i > at):
                raise Unreadable(f"{self.path}: {name} has no statement {first!r}")
            if self.tokens[i:i + len(wanted)] == wanted:
                break
            depth += {"{": 1, "}": -1}.get(self.tokens[i], 0)
            i += 1
        parser, out = Parser(self.tokens, i), []
        for _ in range(count):
            out += parser.statement()
        return out

    def constant(self, name):
        """Returns the initializer of the constant."""
        for i, token in enumerate(self.tokens):
            if token == name and self.tokens[i + 1] == "=" and re.match(r"[A-Za-z_,]", self.tokens[i - 1]):
                return Parser(self.tokens, i + 2).expression()
        raise Unreadable(f"{self.path}: no constant {name}")
