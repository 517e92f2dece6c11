# SPDX-License-Identifier: BSD-3-Clause
"""Why popular items have large magnitudes: from a file of ratings to a picture.

    python magnitudes.py u.data magnitudes.svg

Trains one loss without weight decay, with weight decay, and from PRISM's initial rows, and draws the
magnitudes of the items' rows against their popularity. The decay is the best by validation of ten
settings on MovieLens 100K. Needs matplotlib.
"""

import sys

import numpy as np
from matplotlib import pyplot

import prismcf as pr

pyplot.rcParams["svg.fonttype"] = "none"
split = pr.random_split(pr.read(sys.argv[1], min_rating=3))
popularity = split.train.item_degree

models = {
    "no decay": pr.Recommender(pr.MF(64), pr.DirectAU(), ranking=None),
    "weight decay": pr.Recommender(
        pr.MF(64), pr.DirectAU(), regularizer=pr.FullWD(1e-5), learning_rate=0.1
    ),
    "PRISM": pr.Recommender(pr.MF(64), pr.DirectAU(), initializer=pr.PRISM(1.0)),
    "written after training": pr.Recommender(pr.MF(64), pr.DirectAU()),
}
figure, axes = pyplot.subplots(figsize=(7, 4.5))
edges = np.unique(np.geomspace(1, popularity.max() + 1, 16).astype(int))
for name, model in models.items():
    model.fit(split)
    ndcg, best = model.evaluate(split).ndcg, model.history_["best_epoch"]
    print(f"{name:24} NDCG@20 {ndcg:.4f}, best epoch {best}")
    magnitudes = np.linalg.norm(model.item_factors, axis=1)
    magnitudes /= magnitudes[popularity > 0].mean()
    bins = [(popularity >= low) & (popularity < high) for low, high in zip(edges, edges[1:])]
    points = [(popularity[b].mean(), magnitudes[b].mean()) for b in bins if b.any()]
    axes.plot(*zip(*points), marker="o", markersize=3, label=f"{name}: NDCG@20 {ndcg:.3f}")
axes.set(xscale="log", yscale="log")
axes.set_xlabel("popularity: training interactions of an item")
axes.set_ylabel("magnitude, relative to the mean")
axes.legend(frameon=False)
figure.tight_layout()
figure.savefig(sys.argv[2])
