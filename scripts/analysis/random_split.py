# SPDX-License-Identifier: BSD-3-Clause
"""Splits a file at random: a fifth of its lines into test.tsv, the others into train.tsv.

    python3 scripts/analysis/random_split.py gowalla/interactions.tsv.gz
"""
import gzip
import random
import sys

random.seed(1)
if len(sys.argv) != 2:
    sys.exit(__doc__)
rows = [line.rstrip("\n").split("\t")[:2] for line in gzip.open(sys.argv[1], "rt")]
test = set(random.sample(range(len(rows)), len(rows) // 5))
with open("train.tsv", "w") as train_file, open("test.tsv", "w") as test_file:
    for k, row in enumerate(rows):
        (test_file if k in test else train_file).write("\t".join(row) + "\n")
