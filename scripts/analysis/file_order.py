# SPDX-License-Identifier: BSD-3-Clause
"""Mean popularity of the items in each tenth of the users' lines, and of the test items.

    python3 scripts/analysis/file_order.py yelp2018

The argument is the folder of LightGCN's train.txt.gz and test.txt.gz.
"""
import collections
import gzip
import sys


def lists(part):
    lines = [line.split() for line in gzip.open(f"{sys.argv[1]}/{part}.txt.gz", "rt")]
    return {line[0]: line[1:] for line in lines}


def mean(values):
    return sum(values) / len(values)


train, test = lists("train"), lists("test")
popularity = collections.Counter(item for items in train.values() for item in items)
tenths = [[] for _ in range(10)]
for items in train.values():
    for k, item in enumerate(items):
        tenths[10 * k // len(items)].append(popularity[item] - 1)  # the pair itself does not count
print("training", *(f"{mean(tenth):.1f}" for tenth in tenths))
print(f"test {mean([popularity[item] for items in test.values() for item in items]):.1f}")
