#!/usr/bin/env python3
"""Checks that names in unnamed namespaces are unique among the files that are compiled together.

Sources are compiled in batches (cmake/Batches.cmake). There, a name in the unnamed namespace of one
file hides the same name of a header or of another file from all files after it, and not always with an
error: a constant just has another value. So a name in an unnamed namespace must be declared nowhere
else in its library, nor in a header of a namespace around it.

Usage: check_names.py [ROOT]    (ROOT: the source tree, by default the one this script is in)

Prints one "file:line: message" for each violation and exits with status 1 if there are any.
"""

import argparse
import collections
import pathlib
import re
import sys

# Folders whose files are compiled together: each of these, or each folder below it.
LIBRARIES = ("src/*", "sim", "sim/cann", "python/native", "python/torch_hooks",
             "python/torch_sim", "tests/*")
HEADER_FOLDERS = ("src", "sim", "include", "tests", "python")

NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{")
NAMESPACE_END = re.compile(r"^\}  // namespace")
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum|using|concept)(?: \[\[\w+\]\])? (?!namespace\b)(\w+)\b(?!::)(?! *;)")
USING = re.compile(r"^using ((?:[\w]*::)*(\w+));")
# "constexpr int kName = ", "std::vector<int> name{", "Result<T> name(": the name before ( = { [ or ;
VALUE = re.compile(r"^(?!return\b|using\b|namespace\b|template\b|typedef\b|else\b|case\b|public\b|"
                   r"private\b|protected\b|friend\b|extern\b|#|//|\}|TEST|INSTANTIATE|PYBIND|TORCH)"
                   r"(?:\[\[[\w ]+\]\] )?[A-Za-z_][\w:<>,&*\s\[\]\"']*?[\s&*>](\w+)(?=\(|\{| = |\[|;)")


def declared(path):
    """(namespaces, name, line, whether in an unnamed namespace, what it stands for if it comes from
    elsewhere) of what is declared at the begin of a line."""
    scopes = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := NAMESPACE.match(line):
            scopes.append(match[1])
        elif NAMESPACE_END.match(line):
            if scopes:
                scopes.pop()
        else:
            named = "::".join(scope for scope in scopes if scope)
            if match := USING.match(line):
                yield named, match[2], number, None in scopes, match[1].removeprefix("::")
            elif match := TYPE.match(line) or VALUE.match(line):
                yield named, match[1], number, None in scopes, None


def library_of(path, root):
    parts = path.relative_to(root).parts
    if parts[0] in ("src", "tests"):
        if parts[:2] == ("tests", "sim") and parts[2] == "cann":
            return parts[:3]
        return parts[:2]
    if parts[:2] == ("sim", "cann"):
        return parts[:2]
    return parts[:1] if parts[0] == "sim" else parts[:2]


def same_place(a, b):
    """Whether two qualified names may be one: "trace::kNone" and "npuprof::trace::kNone"."""
    return b is not None and (a == b or a.endswith("::" + b) or b.endswith("::" + a))


def is_around(outer, inner):
    return outer == "" or inner == outer or inner.startswith(outer + "::")


def files(root, suffix):
    for folder in HEADER_FOLDERS:
        yield from sorted((root / folder).rglob(f"*{suffix}"))


def violations(root):
    in_headers = collections.defaultdict(list)
    for path in files(root, ".h"):
        for namespace, name, line, unnamed, target in declared(path):
            if not unnamed and target is None:
                in_headers[name].append((namespace, path, line))
    in_sources = collections.defaultdict(dict)
    for path in files(root, ".cc"):
        library = library_of(path, root)
        for namespace, name, line, unnamed, target in declared(path):
            if not unnamed:
                continue
            where = f"{path.relative_to(root)}:{line}"
            for other_namespace, header, other_line in in_headers[name] if target is None else ():
                if is_around(other_namespace, namespace):
                    yield f"{where}: {name} is also in {header.relative_to(root)}:{other_line}"
            # Files may take the same name from the same place.
            known, known_target = in_sources[library].setdefault((namespace, name), (path, target))
            if known != path and (target is None or not same_place(target, known_target)):
                yield f"{where}: {name} is also in {known.relative_to(root)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    found = sorted(set(violations(parser.parse_args().root)))
    for message in found:
        print(message)
    if found:
        print(f"{len(found)} names are not unique: rename one, or share it in a header", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
