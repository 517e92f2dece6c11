# SPDX-License-Identifier: BSD-3-Clause
"""NDCG@20 of a saved model whose items get other magnitudes, on the validation and the test set.

    python3 scripts/analysis/magnitudes.py models/MF-SLK-None-PRISM gowalla/interactions.tsv.gz

The first argument is a folder that `experiment --save` wrote, the second the file of three columns
that the model was trained on, whose third column is 1 for the test set. Needs NumPy.
"""
import gzip
import sys

import numpy as np

if len(sys.argv) != 3:
    sys.exit(__doc__)
folder, data = sys.argv[1:]
K = 20
DISCOUNT = 1 / np.log2(np.arange(2, K + 2))


def table(name):
    return np.load(f"{folder}/{name}.npy")


def ids(name):
    return {line.rstrip("\n"): k for k, line in enumerate(open(f"{folder}/{name}_ids.txt"))}


users, items, train = table("users"), table("items"), table("train")
user_ids, item_ids = ids("user"), ids("item")
lines = [line.split() for line in gzip.open(data, "rt")]


def pairs_of(part):
    kept = [
        (user_ids[u], item_ids[i])
        for u, i, of in lines
        if of == part and u in user_ids and i in item_ids
    ]
    return np.array(kept)


def numbers(pairs):
    return pairs[:, 0] * len(items) + pairs[:, 1]


def items_by_user(pairs):
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    return np.split(pairs[:, 1], np.searchsorted(pairs[:, 0], np.arange(1, len(users))))


def ndcg(rows, excluded, relevant):
    excluded, relevant, sums = items_by_user(excluded), items_by_user(relevant), []
    for first in range(0, len(users), 512):
        for u, scores in enumerate(users[first : first + 512] @ rows.T, first):
            if len(relevant[u]) == 0:
                continue
            scores[excluded[u]] = -np.inf
            top = np.argpartition(-scores, K)[:K]
            hits = np.isin(top[np.argsort(-scores[top], kind="stable")], relevant[u])
            sums.append(DISCOUNT[hits].sum() / DISCOUNT[: len(relevant[u])].sum())
    return np.mean(sums)


published, test = pairs_of("0"), pairs_of("1")
validation = published[~np.isin(numbers(published), numbers(train))]
trained = np.linalg.norm(items, axis=1)
log_popularity = np.log(np.bincount(train[:, 1], minlength=len(items)) + 2)
magnitudes = {
    "as trained": trained,
    "1": np.ones_like(trained),
    **{f"PRISM<{alpha}>": alpha * log_popularity + 1 - alpha for alpha in (0.5, 1, 2)},
    "trained^0.8": trained**0.8,
    "trained^1.2": trained**1.2,
}
print("magnitudes   validation  test")
for name, magnitude in magnitudes.items():
    rows = (items * (magnitude / trained)[:, None]).astype(np.float32)
    print(f"{name:12} {ndcg(rows, train, validation):.5f}     {ndcg(rows, published, test):.5f}")
