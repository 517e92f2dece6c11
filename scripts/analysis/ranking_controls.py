# SPDX-License-Identifier: BSD-3-Clause
"""What popularity when ranking adds to models of weight decay and of PRISM.

    python3 scripts/analysis/ranking_controls.py movielens1m/ratings.dat.gz 3 --only MF

The arguments are a file of ratings and the lowest rating to keep. Each model of Table 1 is trained and
stopped as it ranks by its own rows, then ranked with each power of popularity and with each PRISM's alpha;
of those, the one is reported that ranks the validation set best. The hyperparameters are those that the
searches of Table 1 chose on MovieLens 1M. Needs prismcf.
"""
import argparse

import prismcf as pr

DECAY_AND_PRISM = {  # backbone, loss: lr and lambda of decay, lr of PRISM, the losses of the two
    ("MF", "SSM"): (0.01, 1e-6, 0.1, pr.SSM(), pr.SSM()),
    ("MF", "DirectAU"): (0.1, 1e-8, 0.001, pr.DirectAU(), pr.DirectAU()),
    ("MF", "MAWU"): (0.1, 1e-8, 0.001, pr.MAWU(0.2, 0.6), pr.MAWU(0.2, 0.2)),
    ("MLP", "SSM"): (0.001, 1e-8, 0.01, pr.SSM(), pr.SSM()),
    ("MLP", "DirectAU"): (0.1, 1e-8, 0.001, pr.DirectAU(), pr.DirectAU()),
    ("MLP", "MAWU"): (0.1, 1e-8, 0.01, pr.MAWU(0.2, 0.6), pr.MAWU(0.2, 0.2)),
}


def best(model, split, rankings):
    """The ranking of a trained model that ranks the validation set best, and its NDCG@20 on the test set."""
    scored = [(model.model_.with_ranking(r).evaluate(split.validation).ndcg, r) for r in rankings]
    ranking = max(scored, key=lambda pair: pair[0])[1]
    return ranking, model.model_.with_ranking(ranking).evaluate(split).ndcg


parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("min_rating", type=float, nargs="?")
parser.add_argument("--only", choices=["MF", "MLP"])
parser.add_argument("--threads", type=int)
arguments = parser.parse_args()
split = pr.random_split(pr.read(arguments.file, min_rating=arguments.min_rating), seed=123)
powers = [pr.Ranking(power=p) for p in pr.Ranking.power_by_validation().power]
alphas = [pr.Ranking(alpha=a) for a in pr.Ranking.alpha_by_validation().alpha]
print("| model | trained with | best epoch | as trained | by power | the power | by alpha | the alpha |")
print("|---|---|---|---|---|---|---|---|")
for (backbone, loss), (lr, decay, prism_lr, decay_loss, prism_loss) in DECAY_AND_PRISM.items():
    if arguments.only not in (None, backbone):
        continue
    for name, parts in {
        "decay": dict(loss=decay_loss, regularizer=pr.FullWD(decay), learning_rate=lr),
        "PRISM<1>": dict(loss=prism_loss, initializer=pr.PRISM(1.0), learning_rate=prism_lr),
        "Xavier, lr 0.01": dict(loss=decay_loss, learning_rate=0.01),
    }.items():
        model = pr.Recommender(
            getattr(pr, backbone)(64), **parts, ranking=None,
            batch_size=16384 if loss == "SSM" else 4096, threads=arguments.threads,
        ).fit(split)
        power, by_power = best(model, split, powers)
        alpha, by_alpha = best(model, split, alphas)
        print(f"| {backbone} + {loss} | {name} | {model.history_['best_epoch']} "
              f"| {model.evaluate(split).ndcg:.4f} | {by_power:.4f} | {power.power:.2f} "
              f"| {by_alpha:.4f} | {alpha.alpha:.2f} |", flush=True)
