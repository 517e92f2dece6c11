# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose device code calls address 0.

    python3 tests/cuda/null_calls.py PROGRAM...

PROGRAM has PTX that is neither compressed (--no-compress) nor optimised (-Xcicc=-O0).

nvcc compiles a call of a host-only function from a constexpr function, such as the builtin behind
std::popcount, into a call of address 0, without a warning; optimised code no longer has the call.
Exits with 1 if there are any, or if there is no PTX.
"""
import re
import sys

functions, calls = 0, set()
for program in sys.argv[1:]:
    with open(program, "rb") as opened:
        texts = re.findall(rb"\.version [^\0]*", opened.read())
    function, zeros = "", set()  # registers that are 0
    for line in b"\n".join(text for text in texts if b".target" in text).decode().split("\n"):
        if re.match(r"(?:\.\w+ )*\.(?:func|entry) ", line):
            function, zeros = line.strip(), set()
            functions += 1
        if zero := re.match(r"\s*mov\.[ubs]64 \s*(%rd\d+), 0;", line):
            zeros.add(zero[1])
        elif written := re.match(r"\s*[a-z]\S* \s*(%rd\d+), ", line):
            zeros.discard(written[1])
        # The target of an indirect call is on a line of its own.
        elif (target := re.match(r"\s*(%rd\d+),\s*$", line)) and target[1] in zeros:
            calls.add(function)
for name in sorted(calls):
    print("calls address 0:", name)
print(functions, "functions,", len(calls), "with calls of address 0")
sys.exit(bool(calls) or functions == 0)
