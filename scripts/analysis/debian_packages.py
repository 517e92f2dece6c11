# SPDX-License-Identifier: BSD-3-Clause
"""A data set that every Debian system has: packages, and what they depend on or are tagged with.

    apt-cache dumpavail | python3 scripts/analysis/debian_packages.py depends > depends.tsv
    apt-cache dumpavail | python3 scripts/analysis/debian_packages.py tags > tags.tsv

Lines are package, tab, dependency or tag. Packages and items with fewer than five others are left out,
again and again until all have five (5-core).
"""
import collections
import re
import sys


def pairs(field, lines):
    package, inside = None, False
    for line in lines:
        if not line[:1].isspace():
            name, _, line = line.partition(":")
            inside = name == field
            if name == "Package":
                package = line.strip()
        if inside:
            for part in re.split(r"[,|]", line):
                item = part.split("(")[0].split(":any")[0].strip()
                if item:
                    yield package, item


def core(interactions, least):
    while True:
        users = collections.Counter(user for user, _ in interactions)
        items = collections.Counter(item for _, item in interactions)
        kept = {(user, item) for user, item in interactions if users[user] >= least and items[item] >= least}
        if len(kept) == len(interactions):
            return sorted(kept)
        interactions = kept


def main():
    field = {"depends": "Depends", "tags": "Tag"}[sys.argv[1]]
    for user, item in core(set(pairs(field, sys.stdin)), 5):
        print(f"{user}\t{item}")


main()
