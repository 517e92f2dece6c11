# SPDX-License-Identifier: BSD-3-Clause
"""NDCG@20 and Recall@20 of a saved model on its test set, ranked by NumPy and computed by ranx.

    python3 scripts/analysis/ranx_metrics.py models/MF-SLK-None-PRISM gowalla/interactions.tsv.gz

The first argument is a folder that `experiment --save` wrote, the second the file that the model was
trained on: three columns separated by tabs, the third 1 for the test set (`--test-column 2`); or two
columns, and a third argument is the file of the test set (`--test FILE`). Needs NumPy and ranx.
"""
import gzip
import sys

import numpy as np
from ranx import Qrels, Run, evaluate

if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
folder, *files = sys.argv[1:]
K = 20


def ids(name):
    return {line.rstrip("\n"): k for k, line in enumerate(open(f"{folder}/{name}_ids.txt"))}


def lines(file):
    with (gzip.open if file.endswith(".gz") else open)(file, "rt") as opened:
        return [line.split() for line in opened]


user_ids, item_ids = ids("user"), ids("item")
users, items = (np.load(f"{folder}/{name}.npy").astype(float) for name in ("users", "items"))
seen = [[] for _ in users]  # training and validation set, which are not recommended
for user, item in np.load(f"{folder}/train.npy"):
    seen[user].append(item)
relevant = {}  # by user; items that the model does not have count as well
for user, item, *part in lines(files[0]):
    if user in user_ids and part[:1] != ["1"] and item in item_ids:
        seen[user_ids[user]].append(item_ids[item])
    elif user in user_ids and part[:1] == ["1"]:
        relevant.setdefault(user, {})[item] = 1
for user, item, *_ in lines(files[1]) if len(files) == 2 else ():
    if user in user_ids:
        relevant.setdefault(user, {})[item] = 1

names = list(item_ids)
ranked = {}
tested = list(relevant)
for first in range(0, len(tested), 256):
    block = tested[first : first + 256]
    for user, scores in zip(block, users[[user_ids[user] for user in block]] @ items.T):
        scores[seen[user_ids[user]]] = -np.inf
        least = np.partition(scores, -K)[-K]
        candidates = np.flatnonzero(scores >= least)  # more than K if there are ties
        best = candidates[np.argsort(-scores[candidates], kind="stable")[:K]]
        ranked[user] = {names[item]: float(K - rank) for rank, item in enumerate(best)}
results = evaluate(Qrels(relevant), Run(ranked), [f"ndcg@{K}", f"recall@{K}"])
for metric, value in results.items():
    print(metric, format(float(value), ".12f"))
