# SPDX-License-Identifier: BSD-3-Clause
"""Mean popularity in the training set over the training pairs and over the published test pairs.

    python3 scripts/analysis/test_popularity.py gowalla/interactions.tsv.gz

A training pair does not count itself, so that a random test set would have the same mean.
"""
import collections
import gzip
import sys

rows = [line.split() for line in gzip.open(sys.argv[1], "rt")]
popularity = collections.Counter(item for _, item, part in rows if part == "0")
for name, part, itself in (("training", "0", 1), ("test", "1", 0)):
    counts = [popularity[item] - itself for _, item, of in rows if of == part]
    print(f"{name} {sum(counts) / len(counts):.1f}")
