"""The enumerators of accublas.h and its functions other than routines, for the languages that call the library."""

import re


def header_enums(header):
    """(comment, [(name, value, meaning) of each enumerator]) of the enums. The comment above an enum is the one of its section."""
    for heading, members in re.findall(r"/\*\* ([^/]*?) \*/\n(?:typedef int32_t \w+;\n)?enum \{(.*?)\};", header, re.S):
        yield heading, re.findall(r"(ACCUBLAS_\w+) = (\d+),?(?: */\*\*< (.*?) \*/)?", members)


def header_functions(header):
    """(comment, type, name without accublas_, [(type, name) of each parameter]) of the functions of the header other than routines."""
    text = re.sub(r"/\* Made from .*?/\* clang-format on \*/", "", header, flags=re.S)
    enums = set(re.findall(r"typedef int32_t (\w+);", text)) - {"accublas_status"}
    text = re.sub(rf"\b({'|'.join(enums)})\b", "int32_t", text)
    for meaning, group in re.findall(r"/\*\* ((?:(?!\*/).)*) \*/\n((?:ACCUBLAS_API [^;]*;\n)+)", text, re.S):
        for kind, name, parameters in re.findall(r"ACCUBLAS_API (.*?) ?\baccublas_(\w+)\(([^)]*)\);", group):
            pairs = [re.fullmatch(r"\s*(.*?) ?(\w+)", parameter, re.S).groups() for parameter in parameters.split(",") if parameter != "void"]
            yield re.sub(r"\s+\* ?", " ", meaning), kind, name, pairs
