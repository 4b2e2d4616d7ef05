"""Source files taken apart into comments and code."""

import io
import re
import tokenize

WORD = re.compile(r"[A-Za-z_]\w*")
C_LIKE = {".c", ".h", ".cpp", ".hpp", ".cu", ".map"}
C_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.[^'\n]*|[^'\\\n])'", re.S)


def language(path):
    if path.suffix in C_LIKE:
        return "c"
    if ".f90" in path.name:
        return "!"
    if path.suffix in (".py", ".md"):
        return path.suffix
    if path.name in ("meson.build", "meson_options.txt", "run") or path.suffix == ".sh":
        return "#"
    return "data" if path.suffix in (".txt", ".json") else None


def split_c(text):
    comments, code, strings, last = [], [], [], 0
    for token in C_TOKEN.finditer(text):
        code.append(text[last : token.start()])
        last = token.end()
        if token.group().startswith("/"):
            line = text.count("\n", 0, token.start()) + 1
            parts = re.sub(r"\*/$", "", token.group()).split("\n")
            comments += [(line + i, re.sub(r"^\s*(//[/!]?<?|/?\*+<?)", "", part)) for i, part in enumerate(parts)]
        else:
            strings.append(token.group())
    return comments, "".join([*code, text[last:]]), strings


def split_python(text):
    comments, code, strings, begins = [], [], [], True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.append((token.start[0], token.string[1:]))
        elif token.type == tokenize.STRING and begins:
            comments += [(token.start[0] + i, line.strip('"')) for i, line in enumerate(token.string.split("\n"))]
        else:
            (strings if token.type == tokenize.STRING else code).append(token.string)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return comments, " ".join(code), strings


def split_lines(text, mark):
    """Languages whose comments end with the line; strings stay in the code."""
    quoted = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
    pattern = re.compile(rf"((?:{quoted}|[^\"'{mark}]|(?<=[\w$\{{(&]){mark})*)(?:{mark}(.*))?")
    comments, code = [], []
    for number, line in enumerate(text.split("\n"), 1):
        found = pattern.fullmatch(line)  # none: a quotation that goes on in the next line
        code.append(found.group(1) if found else line)
        if found and found.group(2) is not None:
            comments.append((number, found.group(2)))
    return comments, "\n".join(code), []


class Source:
    """A file taken apart: its comments line by line, and the words of its code and of its strings."""

    def __init__(self, root, path):
        self.path = path
        kind = language(path)
        self.text = (root / path).read_text()
        if kind == ".md":
            self.comments, code, strings = list(enumerate(self.text.split("\n"), 1)), "", []
        elif kind == "data":
            self.comments, code, strings = [], self.text if path.suffix == ".txt" else "", []
        elif kind == "c":
            self.comments, code, strings = split_c(self.text)
        elif kind == ".py":
            self.comments, code, strings = split_python(self.text)
        else:
            self.comments, code, strings = split_lines(self.text, kind)
        self.code = code
        self.words = set(WORD.findall(code)) | set(WORD.findall(" ".join(strings)))
        self.comment_words = {word for _, line in self.comments for word in WORD.findall(line)}
        self.quoted = set(re.findall(r"--?([a-z][\w-]*)", code + " ".join(strings)))
