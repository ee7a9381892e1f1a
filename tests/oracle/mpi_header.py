"""What an mpi.h declares."""

import re
import subprocess

NESTED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"


def split(parameters):
    parts, depth, part = [], 0, ""
    for letter in parameters:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    parts += [part.strip()] if part.strip() else []
    return [] if parts == ["void"] else parts


def type_and_name(parameter):
    """("MPI_Request[]", "array_of_requests"); the name is empty if it cannot be told."""
    match = re.match(r"(.*?)(\w+)((?:\[\d*\])*)$", re.sub(r"\s+", " ", parameter))
    if not match:
        return "", ""
    kind, name, array = match.groups()
    kind = kind.replace("const ", "").replace(" ", "")
    if array or name.startswith("array_of_"):
        kind = kind.rstrip("*") + "[]"
    return kind, name


def mpi_functions(compiler):
    """{name without MPI_: (type of the result, [(parameter as declared, type, name)])}"""
    words = subprocess.run([compiler, "-show"], capture_output=True, text=True, check=True).stdout.split()
    text = subprocess.run(["cc", "-E", "-P", "-x", "c", *[word for word in words if word.startswith("-I")], "-"],
                          input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
    text = re.sub(r"__attribute__\s*" + NESTED, "", text)
    found = {}
    for result, name, parameters in re.findall(r"\b(\w+)\s+(MPI_\w+)\s*\(((?:[^();]|\([^()]*\))*)\)[^;{}]*;", text):
        if not name.endswith(("_fn", "_function")) and name != "MPI_Aint":
            found[name[4:]] = (result, [(parameter, *type_and_name(parameter)) for parameter in split(parameters)])
    return found
