# SPDX-License-Identifier: BSD-3-Clause
"""prismcf beside other libraries of matrix factorization for implicit feedback, on one split.

    python3 -m venv env && env/bin/pip install ./python implicit irspack lenskit ranx
    env/bin/python bench/peers/libraries.py movielens1m/ratings.dat.gz --min-rating 3

Each library trains with 64 dimensions on the same training set, with each value of a few of its
hyperparameters; the candidate with the best NDCG@20 on the validation set is tested. Nobody is trained
again on both. ranx computes the metrics of all lists, which leave out what the user has in the training
set (in the test, in the validation set too). Seconds are those of the chosen training, on all cores,
without reading and ranking; memory is what that process had at most, its libraries and the data
included. Each candidate has a process of its own.
"""

import argparse
import importlib.metadata
import itertools
import json
import multiprocessing
import os
import resource
import time
import warnings

import numpy as np
import prismcf as pr

DIM, K = 64, 20


def prism(loss, **options):
    def train(split, seen):
        model = pr.Recommender(pr.MF(DIM), loss(**options), verbose=False).fit(split)
        return model.user_factors, model.item_factors

    return train


def implicit(name, **options):
    def train(split, seen):
        from implicit.cpu import als, bpr
        from threadpoolctl import threadpool_limits

        kind = {"ALS": als.AlternatingLeastSquares, "BPR": bpr.BayesianPersonalizedRanking}[name]
        with threadpool_limits(1, "blas"):  # as implicit asks for
            model = kind(factors=DIM, random_state=1, **options)
            model.fit(seen, show_progress=False)
        return model.user_factors, model.item_factors

    return train


def irspack(**options):
    def train(split, seen):
        from irspack import IALSRecommender

        model = IALSRecommender(seen.astype(np.float64), n_components=DIM, **options).learn()
        return model.get_user_embedding(), model.get_item_embedding()

    return train


def lenskit(**options):
    def train(split, seen):
        import pandas
        from lenskit.als import ImplicitMFScorer
        from lenskit.data import from_interactions_df

        users, items = seen.nonzero()
        frame = pandas.DataFrame({"user_id": users, "item_id": items})
        model = ImplicitMFScorer(embedding_size=DIM, **options)
        model.train(from_interactions_df(frame))
        tables = []
        for vocabulary, rows, size in (
            (model.users, model.user_embeddings, seen.shape[0]),
            (model.items, model.item_embeddings, seen.shape[1]),
        ):
            table = np.zeros((size, DIM), dtype=np.float32)
            table[np.asarray(vocabulary.ids())] = np.asarray(rows)
            tables.append(table)
        return tables

    return train


def grid(make, *arguments, **values):
    for chosen in itertools.product(*values.values()):
        options = dict(zip(values, chosen))
        yield options, make(*arguments, **options)


LIBRARIES = {
    "prismcf, SSM": ("prismcf", grid(prism, pr.SSM, tau=[0.1, 0.2, 0.3], negatives=[10, 100])),
    "prismcf, MAWU": ("prismcf", grid(prism, pr.MAWU, gamma1=[0.2, 0.6], gamma2=[0.2, 0.6])),
    "implicit, ALS": (
        "implicit",
        grid(implicit, "ALS", regularization=[1.0, 10.0, 30.0, 100.0], alpha=[1.0, 4.0, 16.0]),
    ),
    "implicit, BPR": (
        "implicit",
        grid(implicit, "BPR", learning_rate=[0.01, 0.05], regularization=[0.01, 0.03, 0.1]),
    ),
    "irspack, iALS": ("irspack", grid(irspack, alpha0=[0.03, 0.1, 0.3, 1.0], reg=[0.001, 0.003, 0.01, 0.03])),
    "LensKit, implicit MF": (
        "lenskit",
        grid(lenskit, weight=[0.25, 1.0, 4.0, 16.0], regularization=[0.01, 0.1, 1.0]),
    ),
}


def best_items(factors, hidden):
    """The K best items of each user, without those of a sparse matrix."""
    users, items = (np.asarray(table, dtype=np.float32) for table in factors)
    lists = np.empty((len(users), K), dtype=np.int64)
    for first in range(0, len(users), 512):
        rows = slice(first, min(first + 512, len(users)))
        scores = users[rows] @ items.T
        scores[hidden[rows].nonzero()] = -np.inf
        top = np.argpartition(-scores, K, axis=1)[:, :K]
        order = np.argsort(-np.take_along_axis(scores, top, axis=1), axis=1, kind="stable")
        lists[rows] = np.take_along_axis(top, order, axis=1)
    return lists


def measured(train, split, channel):
    warnings.simplefilter("ignore")
    with open(os.devnull, "w") as nowhere:  # irspack shows its progress on the standard output
        os.dup2(nowhere.fileno(), 1)
    seen = split.train.to_csr()
    begin = time.perf_counter()
    factors = train(split, seen)
    seconds = time.perf_counter() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    both = (seen + split.validation.to_csr()).tocsr()
    channel.put((seconds, memory, best_items(factors, seen), best_items(factors, both)))


def in_process(train, split):
    context = multiprocessing.get_context("fork")
    channel = context.Queue()
    process = context.Process(target=measured, args=(train, split, channel))
    process.start()
    while process.is_alive() and channel.empty():
        time.sleep(0.05)
    result = channel.get() if not channel.empty() or process.exitcode == 0 else None
    process.join()
    return result


def metrics(lists, relevant):
    from ranx import Qrels, Run, evaluate

    users, items = relevant.pairs()
    judged, ranked = {}, {}
    for user, item in zip(users.tolist(), items.tolist()):
        judged.setdefault(str(user), {})[str(item)] = 1
    for user in judged:
        ranked[user] = {str(item): float(K - place) for place, item in enumerate(lists[int(user)])}
    found = evaluate(Qrels(judged), Run(ranked), [f"ndcg@{K}", f"recall@{K}"])
    return found[f"ndcg@{K}"], found[f"recall@{K}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="a file of interactions")
    parser.add_argument("--min-rating", type=float)
    parser.add_argument("--only", nargs="+", help="libraries, by the beginning of their names")
    parser.add_argument("--json", help="write all candidates to this file")
    options = parser.parse_args()
    split = pr.random_split(pr.read(options.data, min_rating=options.min_rating), seed=123)
    print(split, flush=True)
    record = []
    print("| library | hyperparameters | NDCG@20 | Recall@20 | seconds | MB |\n|---|---|---|---|---|---|")
    for name, (package, candidates) in LIBRARIES.items():
        if options.only and not name.startswith(tuple(options.only)):
            continue
        version = pr.__version__ if package == "prismcf" else importlib.metadata.version(package)
        best = None
        for chosen, train in candidates:
            result = in_process(train, split)
            if result is None:
                print(f"{name} {chosen} failed", flush=True)
                continue
            seconds, memory, to_validate, to_test = result
            validation = metrics(to_validate, split.validation)[0]
            ndcg, recall = metrics(to_test, split.test)
            record.append(
                {
                    "library": name,
                    "version": version,
                    **chosen,
                    "validation": validation,
                    "ndcg": ndcg,
                    "recall": recall,
                    "seconds": seconds,
                    "megabytes": memory,
                }
            )
            if best is None or validation > best[0]:
                best = validation, chosen, ndcg, recall, seconds, memory
        if best:
            _, chosen, ndcg, recall, seconds, memory = best
            values = ", ".join(f"{key} {value}" for key, value in chosen.items())
            print(
                f"| {name} {version} | {values} | {ndcg:.4f} | {recall:.4f} | {seconds:.1f} | {memory:.0f} |",
                flush=True,
            )
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(record, file, indent=1)


if __name__ == "__main__":
    main()
