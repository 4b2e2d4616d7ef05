"""accublas.h as Doxygen reads it: the macros that declare routines expanded, and the comment of a group repeated for each of its
members. usage: header.py ACCUBLAS_H"""

import re
import sys
from pathlib import Path

DOC = r"/\*\*(?:(?!\*/).)*\*/\n"
MACRO = re.compile(rf"({DOC})?#define (ACCUBLAS_DECLARE_\w+)\(([^)]*)\)((?:[^\n]*\\\n)*[^\n]*)\n", re.S)


def expanded(text):
    """Each use of a macro becomes its declarations, each with the macro's comment."""
    macros = {name: (doc, re.split(r",\s*", names), body) for doc, name, names, body in MACRO.findall(text)}

    def declarations(use):
        doc, names, body = macros[use.group(1)]
        body = body.replace("\\\n", " ")
        for name, value in zip(names, re.split(r",\s*", use.group(2))):
            body = re.sub(rf"\b{name}\b", value, body)
        body = body.replace("##", "")
        return "".join(f"{doc}{' '.join(declaration.split())};\n" for declaration in body.split(";") if declaration.strip())

    return re.sub(r"^(ACCUBLAS_DECLARE_\w+)\(([^)]*)\)\n", declarations, MACRO.sub("", text), flags=re.M)


def repeated(text):
    """Declarations without a comment of their own, right below one that has it, get the same."""
    return re.sub(rf"({DOC})((?:ACCUBLAS_API [^;{{}}]*;\n)+)",
                  lambda group: re.sub(r"^ACCUBLAS_API ", lambda _: group.group(1) + "ACCUBLAS_API ", group.group(2), flags=re.M), text,
                  flags=re.S)


header = re.sub(r"\A/\*", "/** \\\\file accublas.h\n *", Path(sys.argv[1]).read_text())
print(repeated(expanded(header)).replace("ACCUBLAS_API ", ""), end="")
