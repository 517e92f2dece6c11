# SPDX-License-Identifier: BSD-3-Clause
"""How far an item's share of test pairs is from that of a random draw.

    python3 scripts/analysis/test_dispersion.py gowalla/interactions.tsv.gz

Mean over the items with at least 20 pairs of the squared deviation, divided by the variance of a
binomial draw: for the published test set, and for one with as many pairs of each user at random.
"""
import collections
import gzip
import random
import sys


def dispersion(rows):
    pairs = collections.Counter(item for _, item, _ in rows)
    test = collections.Counter(item for _, item, part in rows if part == "1")
    share = sum(test.values()) / len(rows)
    common = [(n, test[item]) for item, n in pairs.items() if n >= 20]
    return sum((t - n * share) ** 2 / (n * share * (1 - share)) for n, t in common) / len(common)


random.seed(1)
published = [line.split() for line in gzip.open(sys.argv[1], "rt")]
parts = collections.defaultdict(list)
for user, _, part in published:
    parts[user].append(part)
for of_user in parts.values():
    random.shuffle(of_user)
print(f"published {dispersion(published):.2f}")
print(f"random {dispersion([(user, item, parts[user].pop()) for user, item, _ in published]):.2f}")
