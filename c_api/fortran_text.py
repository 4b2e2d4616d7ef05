"""Statements, comments and declarations of Fortran as lines of at most 120 characters."""

import re
import textwrap

WIDTH = 118  # and " &"


def statement(text, indent):
    """A statement in lines of at most 120 characters. Strings and pairs like (m, int64) are not broken."""
    text = re.sub(r"'[^']*'|\([\w.]+, \w+\)", lambda part: part.group().replace(" ", "\0"), text)
    lines = textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2), break_long_words=False,
                          break_on_hyphens=False)
    return " &\n".join(lines).replace("\0", " ")


def indented(lines, indent):
    """Statements and blank lines; each has its own further indentation."""
    return "\n".join(statement(line.lstrip(), indent + len(line) - len(line.lstrip())) if line else "" for line in lines)


def comment(text, indent):
    """Returns a comment as lines. A paragraph of several lines keeps them."""
    start = " " * indent + "!> "
    lines = [text] if "\n" in text else textwrap.wrap(text, 120 - len(start))
    return "\n".join((start + line).rstrip() for part in lines for line in part.split("\n"))


def declarations(pairs):
    """One line for each type of the (type, name)."""
    names = {}
    for kind, name in pairs:
        names.setdefault(kind, []).append(name)
    return [f"{kind} :: {', '.join(members)}" for kind, members in names.items()]


LAST_ARGUMENTS = [("character(*), intent(in), optional", "mode"), ("type(accublas_context), intent(in), optional", "context"),
                  ("type(accublas_options), intent(in), optional", "options"), ("integer(int32), intent(out), optional", "stat"),
                  ("character(*), intent(inout), optional", "errmsg")]
