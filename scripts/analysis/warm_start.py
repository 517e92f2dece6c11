# SPDX-License-Identifier: BSD-3-Clause
"""Training that goes on from an earlier model, beside training anew.

    python3 scripts/analysis/warm_start.py movielens1m/ratings.dat.gz 3
    python3 scripts/analysis/warm_start.py ml100k/u.data 3 --by-time

The earlier model is trained on a part of the training set, drawn at random, or by time the earlier
interactions; the later ones are on all of it, the earlier validation set too. Needs prismcf.
"""
import argparse

import prismcf as pr

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("min_rating", type=float, nargs="?")
parser.add_argument("--by-time", action="store_true")
parser.add_argument("--part", type=float, default=0.1, help="of the training set that is added, beside
                    the earlier validation set")
parser.add_argument("--threads", type=int)
arguments = parser.parse_args()

data = pr.read(arguments.file, min_rating=arguments.min_rating,
               time=3 if arguments.by_time else None)
divide = pr.temporal_global_split if arguments.by_time else pr.random_split
split = divide(data)
earlier = divide(split.train, validation=0.1, test=arguments.part)
print("| loss | model | epochs | seconds | NDCG@20 | of the new one's |")
print("|---|---|---|---|---|---|")
for loss in (pr.SSM(), pr.DirectAU()):

    def train(data, epochs=None, **options):
        model = pr.Recommender(pr.MF(64), loss, epochs=epochs, threads=arguments.threads)
        model.fit(data, **options)
        best = model.history_["best_epoch"]
        records = model.history_["epochs"][:best]
        seconds = sum(record["train_seconds"] + record["validate_seconds"] for record in records)
        return model, best, seconds

    old, _, _ = train(earlier)
    fresh, epochs, seconds = train(split)
    whole = fresh.evaluate(split).ndcg
    rows = [("anew", epochs, seconds, whole)]
    for budget in (max(1, epochs // 10), max(2, epochs // 4), None):
        warm, ended, took = train(split, epochs=budget, warm_start=old)
        rows.append(("from the earlier one", ended, took, warm.evaluate(split).ndcg))
        cold, ended, took = train(split, epochs=budget) if budget else (None, 0, 0.0)
        if cold:
            rows.append(("anew, stopped", ended, took, cold.evaluate(split).ndcg))
    for name, ended, took, ndcg in rows:
        print(f"| {type(loss).__name__} | {name} | {ended} | {took:.1f} | {ndcg:.4f} | {ndcg / whole:.1%} |", flush=True)
