# SPDX-License-Identifier: BSD-3-Clause
"""The page of all public names, docs/reference/names.md, from the headers.

    python3 tests/documents/names.py           # compares the page with the headers
    python3 tests/documents/names.py --write   # writes it

Public is what is in namespace prism, or in a namespace in it that is not `detail`. A name's description
is the first sentence of its documentation.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/names.md"
INTRODUCTION = """# Public names

Everything in namespace `prism` that is not in `detail`, by folder and header; `prism/prism.hpp` and the other headers
in [include/prism](../../include/prism) include them by task. What is in `detail` may change at any time. This page is
made from the headers by `python3 tests/documents/names.py --write`, and a check compares the two.
"""
FOLDERS = {  # in the order of a reader
    "data": "Interactions, reading, splits",
    "model": "Models",
    "backbone": "Backbones",
    "loss": "Losses",
    "penalty": "Penalties",
    "regularizer": "Regularizers",
    "initializer": "Initializers",
    "optimizer": "Optimizers",
    "sampler": "Samplers",
    "training": "Training",
    "evaluate": "Evaluation",
    "serve": "Recommendations and saved models",
    "fold_in": "New users and items",
    "models": "Grids, choices at run time, models by name",
    "experiment": "Tuning and records",
    "theory": "The theorem",
    "testing": "Checks of policies of your own",
    "policy": "For policies of your own: concepts, batches, options",
    "ops": "For policies of your own: operations over rows",
    "execution": "Executions",
    "cuda": "CUDA",
    "kernel": "For policies of your own: functions of numbers and rows",
    "core": "Errors, rows, memory, random numbers",
}
OPEN = re.compile(r"^(?:inline )?namespace\s*([\w:\s]*)\{")
CLOSE = re.compile(r"^(\}+)\s*// namespace")
NO_NAME = {"requires", "decltype", "noexcept", "operator", "static_assert", "alignas", "if"}


def declarations(path):
    """(namespace, documentation, declaration) of what stands at namespace scope."""
    namespaces, documentation, text, depth, parentheses = [], [], "", 0, 0
    continued = False
    for line in path.read_text().splitlines():
        if line.startswith("#") or continued:
            continued = line.endswith("\\")
            continue
        if depth == 0 and not text:
            opened, closed = OPEN.match(line), CLOSE.match(line)
            if opened:
                names = re.sub(r"\binline\b\s*", "", opened.group(1)).strip()
                namespaces.append(names)
                continue
            if closed:
                for _ in closed.group(1):
                    namespaces.pop()
                documentation = []
                continue
            if line.startswith("///"):
                documentation.append(line[3:].strip())
                continue
            if not line.strip() or line.startswith("//"):
                documentation = []
                continue
        code = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
        code = re.sub(r"'(?:\\.|[^'\\])'", "' '", code)
        code = re.sub(r"//.*", "", code)
        ended = False
        for character in code + "\n":
            if character == "{":
                if depth == 0 and parentheses == 0:
                    yield "::".join(namespaces), documentation, text
                    text = ""
                    ended = True
                depth += 1
            elif character == "}":
                depth -= 1
            elif depth == 0:
                parentheses += (character == "(") - (character == ")")
                if character == ";" and parentheses == 0:
                    forward = re.match(r"(class|struct)\s+\w+\s*$", without_template(text))
                    if text.strip() and not ended and not forward:
                        yield "::".join(namespaces), documentation, text
                    text, documentation, ended = "", [], False
                elif not ended:
                    text += character
        if depth == 0 and ended:
            text, documentation, ended = "", [], False
        if depth > 0 or text.strip():
            if depth > 0:
                text = ""
        else:
            text = ""


def without_template(text):
    """A declaration without its template parameters, requirements and attributes."""
    text = re.sub(r"\[\[.*?\]\]", "", text, flags=re.S).strip()
    while text.startswith("template"):
        depth, at = 0, text.index("<")
        for at in range(at, len(text)):
            depth += (text[at] == "<") - (text[at] == ">")
            if depth == 0:
                break
        text = text[at + 1 :].strip()
        if text.startswith("requires"):
            text = without_requirement(text)
    return text


def without_requirement(text):
    at, depth = len("requires"), 0
    while at < len(text):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if depth == 0 and not re.match(r"\s*(&&|\|\|)", text[at + 1 :]):
                return text[at + 1 :].strip()
        elif depth == 0 and re.match(r"\n|(inline|constexpr|void|auto|bool|struct|class|std::|History)\b", text[at:]):
            return text[at:].strip()
        at += 1
    return text


def name_of(text):
    if re.match(r"\s*template\s*<\s*>", text):  # a specialisation
        return None
    text = without_template(text)
    if re.match(r"(using namespace|static_assert|extern|friend|namespace|inline namespace|PRISM_EXTERN\w*)\b", text):
        return None
    for pattern in (r"(?:struct|class|enum class|enum)\s+(?:alignas\([^)]*\)\s*)?(?:PRISM_\w+\s+)?(\w+)\s*(?=:|$|final|<)?",
                    r"concept\s+(\w+)", r"using\s+(\w+)\s*="):
        found = re.match(pattern, text)
        if found:
            rest = text[found.end() :].lstrip()
            return None if rest.startswith(("<", "::")) else found.group(1)  # specialisations
    if "operator" in text:
        return None
    before = text.split("=")[0] if not re.search(r"\w+\s*\(", text.split("=")[0]) else text
    for found in re.finditer(r"([\w:]+)\s*\(", before):
        if found.group(1) not in NO_NAME and not found.group(1).startswith(("PRISM_", "__")):
            return None if "::" in found.group(1) else found.group(1)
    found = re.search(r"(\w+)\s*(?:<[^=]*>)?\s*(?:\[\])?\s*$", before.strip())
    if text.endswith(")") or not found:  # a deduction guide, or a macro's argument
        return None
    return found.group(1)


def public_names():
    """folder -> header -> name -> description"""
    names = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in sorted((ROOT / "include/prism").rglob("*.hpp")):
        relative = path.relative_to(ROOT / "include/prism")
        if path.name.endswith(".inl.hpp") or path.name == "compiled.hpp" or len(relative.parts) == 1:
            continue
        for namespace, documentation, text in declarations(path):
            inner = re.sub(r"(^|::)(prism|PRISM_ISA|PRISM_ZLIB)\b", "", namespace).strip(":")
            if "prism" not in namespace or "detail" in namespace.split("::"):
                continue
            if "->" in text and re.search(r"^\s*(template\s*<[^{]*>\s*)?\w+\([^)]*\)\s*->", text.strip()):
                continue  # a deduction guide
            name = name_of(text)
            if not name:
                continue
            if inner:
                name = f"{inner}::{name}"
            documentation = re.split(r" @|^@", " ".join(documentation))[:1]
            description = re.split(r"(?<=[a-z)`0-9\]])[.:](?:\s|$)", " ".join(documentation))[0].strip()
            header = names[relative.parts[0]][str(relative)]
            if description and not header.get(name):
                header[name] = description
            header.setdefault(name, "")
    return names


def page():
    lines = [INTRODUCTION]
    names = public_names()
    missing = set(names) - set(FOLDERS)
    assert not missing, f"no title for {missing}"
    for folder, title in FOLDERS.items():
        lines += [f"## {title}", ""]
        for header, own in names[folder].items():
            lines += [f"[{header}](../../include/prism/{header})", ""]
            for name, description in own.items():
                description = description.replace("<", "&lt;").replace("*", "\\*")
                lines.append(f"- `{name}`" + (f": {description}" if description else ""))
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


if sys.argv[1:] == ["--write"]:
    PAGE.write_text(page())
elif PAGE.read_text() != page():
    known, own = (set(re.findall(r"^- `(.*?)`", text, re.M)) for text in (PAGE.read_text(), page()))
    sys.exit(f"docs/reference/names.md is not what the headers have (new: {sorted(own - known)}, gone: "
             f"{sorted(known - own)}): python3 tests/documents/names.py --write")
