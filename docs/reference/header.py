"""accublas.h as Doxygen reads it: the comment of a group is repeated for each of its members. usage: header.py ACCUBLAS_H"""

import re
import sys
from pathlib import Path

DOC = r"/\*\*(?:(?!\*/).)*\*/\n"


def repeated(text):
    """Declarations without a comment of their own, right below one that has it, get the same."""
    return re.sub(rf"({DOC})((?:ACCUBLAS_API [^;{{}}]*;\n)+)",
                  lambda group: re.sub(r"^ACCUBLAS_API ", lambda _: group.group(1) + "ACCUBLAS_API ", group.group(2), flags=re.M), text,
                  flags=re.S)


header = re.sub(r"\A/\*", "/** \\\\file accublas.h\n *", Path(sys.argv[1]).read_text())
print(repeated(header).replace("ACCUBLAS_API ", ""), end="")
