# SPDX-License-Identifier: BSD-3-Clause
"""peers_test.py EXPERIMENT RECOMMEND: output rows that the program EXPERIMENT saves, in faiss and hnswlib: they
rank as the program RECOMMEND does."""

import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import faiss
    import hnswlib
    import numpy as np
except ImportError as error:
    print(f"skipped: {sys.executable} has no faiss, hnswlib and NumPy ({error})")
    sys.exit(0)

experiment, recommend = (os.path.realpath(path) for path in sys.argv[1:3])
K = 20
EPSILON = np.finfo(np.float32).eps


def write_ratings(path):
    """Interactions of 200 users and 500 items, popular ones more often; ids with backslashes and beyond ASCII."""
    draw = random.Random(123)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for user in range(200):
            for item in {int(500 * draw.random() ** 2) for _ in range(30)}:
                file.write(f"user {user},ż\\n{item}\n")


def unescaped(text):
    """The id in whose place \\n, \\r, \\t and \\\\ stand for what would end a line or a column."""
    meant = {"n": "\n", "r": "\r", "t": "\t"}
    return re.sub(r"\\(.)", lambda escape: meant.get(escape[1], escape[1]), text)


def read_ids(path):
    """The id of each row, one a line."""
    with open(path, encoding="utf-8", newline="\n") as file:
        return [unescaped(line) for line in file.read().split("\n")[:-1]]


def answers(folder, users, *options):
    """What the program recommends to each user: (row of the item, score), best first."""
    row_of = {item: row for row, item in enumerate(read_ids(f"{folder}/item_ids.txt"))}
    out = subprocess.run([recommend, "--model", folder, "--users-file", "-", "-k", str(K), *options],
                         input="".join(user + "\n" for user in users), encoding="utf-8", check=True,
                         stdout=subprocess.PIPE).stdout
    lists = {user: [] for user in users}
    for line in out.split("\n")[:-1]:
        user, rank, item, score = line.split("\t")
        lists[user].append((row_of[unescaped(item)], float(score)))
        assert int(rank) == len(lists[user]), line
    return [lists[user] for user in users]


def of_faiss(items, users, k):
    index = faiss.IndexFlatIP(items.shape[1])
    index.add(items)
    scores, rows = index.search(users, k)
    return rows, scores


def of_hnswlib(items, users, k):
    """With edges and a list of candidates enough for what is found to be the best."""
    graph = hnswlib.Index(space="ip", dim=items.shape[1])
    graph.init_index(max_elements=len(items), M=128, ef_construction=len(items))
    graph.add_items(items, num_threads=1)
    graph.set_ef(len(items))
    rows, distances = graph.knn_query(users, k, num_threads=1)
    return rows, 1 - distances


def compare(name, items, user, ours, theirs):
    """The same items in the same order wherever scores differ by more than rounding.
    @return the number of places with the same item"""
    exact = items.astype(np.float64) @ user.astype(np.float64)
    # Rounding of a dot product in float, summed in any order; hnswlib's 1 - score rounds too.
    rounding = 2 * EPSILON * (len(user) * np.abs(items).astype(np.float64) @ np.abs(user) + 1).max()
    assert len(ours) == len(theirs) == K, (name, len(ours), len(theirs))
    best = np.sort(exact)[::-1]
    assert 100 * rounding < best[0] - best[-1], (name, "the scores do not tell items apart")
    for answer in (ours, theirs):
        assert len({row for row, _ in answer}) == K, (name, "an item twice")
    for place, ((row, score), (other, other_score)) in enumerate(zip(ours, theirs)):
        assert abs(exact[row] - exact[other]) <= rounding, (name, place, row, other, exact[row], exact[other])
        assert abs(score - exact[row]) <= rounding, (name, place, score, exact[row])
        assert abs(other_score - exact[other]) <= rounding, (name, place, other_score, exact[other])
    return sum(row == other for (row, _), (other, _) in zip(ours, theirs))


def check(folder):
    items, users = np.load(f"{folder}/items.npy"), np.load(f"{folder}/users.npy")
    user_ids, train = read_ids(f"{folder}/user_ids.txt"), np.load(f"{folder}/train.npy")
    assert items.dtype == users.dtype == np.float32
    assert users.shape == (len(user_ids), items.shape[1])
    assert len(items) == len(read_ids(f"{folder}/item_ids.txt"))
    assert len(items) > 300 and all("ż\\n" in item for item in read_ids(f"{folder}/item_ids.txt"))
    chosen = np.arange(0, len(users), 5)
    names = [user_ids[row] for row in chosen]
    seen = [set(train[train[:, 0] == row, 1].tolist()) for row in chosen]

    def normalized(rows):
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    same = places = 0
    for options in ([], ["--include-seen"], ["--cosine", "--include-seen"]):
        ours = answers(folder, names, *options)
        cosine, with_seen = "--cosine" in options, "--include-seen" in options
        item_rows, user_rows = (normalized(items), normalized(users)) if cosine else (items, users)
        for peer in (of_faiss, of_hnswlib):
            rows, scores = peer(item_rows, user_rows[chosen], K if with_seen else len(items))
            for n, row in enumerate(chosen):
                theirs = [(int(item), score) for item, score in zip(rows[n], scores[n])
                          if with_seen or int(item) not in seen[n]][:K]
                same += compare((folder, peer.__name__, options, names[n]), item_rows, user_rows[row], ours[n],
                                theirs)
                places += K
    print(f"{os.path.basename(folder)}: the same item in {same} of {places} places, in others one of the same score")
    assert same > 0.99 * places


with tempfile.TemporaryDirectory() as scratch:
    ratings, models = f"{scratch}/ratings.csv", f"{scratch}/models"
    write_ratings(ratings)
    for backbone in ("MF", "LightGCN"):
        subprocess.run([experiment, "--data", ratings, "--backbone", backbone, "--initializer", "PRISM", "--dim", "32",
                        "--epochs", "5", "--batch", "512", "--quiet", "--save", models], check=True,
                       stdout=subprocess.DEVNULL)
        check(f"{models}/{backbone}-DirectAU-None-PRISM")
