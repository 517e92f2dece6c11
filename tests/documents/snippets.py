# SPDX-License-Identifier: BSD-3-Clause
"""The C++ of the documents as a source file to compile: snippets.py [PAGE ...] > snippets.cpp

A page is a namespace with its types and functions, and a function with its statements, each block in the
scope of the one before, so that it knows and may hide its names. What pages take for granted (data, a
split, a trained model) is declared first. A block after the line <!-- not compiled: reason --> is left
out. Errors name the page and its line.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^(<!-- not compiled: .*-->\n)?```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Begins a definition at namespace scope, which ends with } or }; at the margin.
DEFINITION = re.compile(r'^(struct|class|template|namespace|int main|extern "C"|std::unique_ptr<.*\) \{|[\w:]+ \w+\(.*\) \{)')

BEFORE = """\
#include <iostream>
#include <thread>
#include <prism/prism.hpp>
#include <prism/extend.hpp>
#include <prism/theory.hpp>
#include <prism/tuning.hpp>
#include <prism/arrow.hpp>
#include <prism/models/make_model.hpp>
using namespace prism;
extern const Interactions data;
extern const Split split;
extern Recommender<MF<64>, SSM> model;
extern const std::vector<Index> users;
extern const Index user;
extern const FitOptions options;
extern Recommender<MF<64>, DirectAU> other;
extern const std::vector<std::pair<std::string, std::string>> events;
namespace cuda {
Host<> device();  // prism/cuda.hpp needs nvcc
}
"""


def pages():
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in documents if BLOCK.search(page.read_text())]


def parts(code):
    """Lines of a block by where they go: includes, definitions, statements; each with its number."""
    includes, definitions, statements = [], [], []
    inside = False
    for number, line in enumerate(code.splitlines()):
        if line.startswith(("#include", "using namespace")):
            includes.append((number, line))
        elif inside or DEFINITION.match(line):
            definitions.append((number, line))
            one_line = not inside and re.search(r"(\};?|;)\s*(//.*)?$", line) and "{" in line
            inside = not (one_line or re.match(r"^\};?( .*)?$", line))
        else:
            statements.append((number, line))
    return includes, definitions, statements


def written(lines, page, first):
    text, expected = [], None
    for number, line in lines:
        if number != expected:
            text.append(f'#line {first + number} "{page}"')
        text.append(line)
        expected = number + 1
    return "\n".join(text) + "\n"


def source(page, count):
    text = page.read_text()
    name = page.relative_to(ROOT)
    hoisted, defined, stated = [], [], []
    for block in BLOCK.finditer(text):
        skipped, code = block.groups()
        if skipped:
            continue
        first = text[: block.start(2)].count("\n") + 1
        includes, definitions, statements = parts(code)
        hoisted += [written([line], name, first) for line in includes if "#include \"" not in line[1]]
        defined.append(written(definitions, name, first))
        stated.append("{\n" + written(statements, name, first))
    page_function = f"void statements() {{\n{''.join(stated)}{'}' * len(stated)}}}\n"
    return "".join(hoisted), f"namespace page{count} {{\n{''.join(defined)}{page_function}}}\n"


def main():
    chosen = [Path(page).resolve() for page in sys.argv[1:]] or pages()
    sources = [source(page, count) for count, page in enumerate(chosen)]
    print(BEFORE + "".join(before for before, _ in sources) + "".join(code for _, code in sources))


main()
