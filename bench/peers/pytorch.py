# SPDX-License-Identifier: BSD-3-Clause
"""The training and the ranking that a PyTorch user would run: MF with Adam, and full ranking.

Reads train.bin and test.bin (pairs of uint32, user and item), prints a JSON object of seconds:
one epoch for each loss, with torch.optim.Adam as it is and in its fused form, and one ranking of
the test users.
"""
import argparse
import json
import pathlib
import sys
import time
import warnings

import numpy as np
import torch
import torch.nn.functional as F

BATCH, DIM, NEGATIVES, TAU = 4096, 64, 10, 0.2


def read_pairs(path):
    return torch.from_numpy(np.fromfile(path, dtype=np.uint32).astype(np.int64).reshape(-1, 2))


def bpr(user, item, items):
    negative = torch.randint(len(items.weight), (len(user),))
    return F.softplus((user * items(negative)).sum(1) - (user * item).sum(1)).mean()


def ssm(user, item, items):
    negative = torch.randint(len(items.weight), (len(user), NEGATIVES))
    user, item = F.normalize(user, dim=1), F.normalize(item, dim=1)
    others = F.normalize(items(negative), dim=2)
    own = (user * item).sum(1, keepdim=True)
    scores = torch.cat([own, (others @ user.unsqueeze(2)).squeeze(2)], 1) / TAU
    return F.cross_entropy(scores, torch.zeros(len(user), dtype=torch.long))


def ssm_shared(user, item, items):
    """1024 negatives for the whole batch; a pair's own item, where it is one of them, counts."""
    user, item = F.normalize(user, dim=1), F.normalize(item, dim=1)
    others = F.normalize(items(torch.randint(len(items.weight), (1024,))), dim=1)
    scores = torch.cat([(user * item).sum(1, keepdim=True), user @ others.T], 1) / 0.1
    return F.cross_entropy(scores, torch.zeros(len(user), dtype=torch.long))


def uniformity_pdist(x):
    return torch.pdist(x).pow(2).mul(-2).exp().mean().log()


def uniformity_product(x):
    """The same over the whole matrix of pairs: quicker, as PyTorch's matrix product is."""
    n = len(x)
    potential = (4 * (x @ x.T) - 4).exp()
    return ((potential.sum() - n) / (n * (n - 1))).log()


def directau(uniformity):
    def loss(user, item, _, user_ids, item_ids, users, items):
        user, item = F.normalize(user, dim=1), F.normalize(item, dim=1)
        align = (user - item).pow(2).sum(1).mean()
        unique_users = F.normalize(users(torch.unique(user_ids)), dim=1)
        unique_items = F.normalize(items(torch.unique(item_ids)), dim=1)
        return align + (uniformity(unique_users) + uniformity(unique_items)) / 2

    return loss


LOSSES = {
    "BPR": lambda u, i, items, *_: bpr(u, i, items),
    "SSM": lambda u, i, items, *_: ssm(u, i, items),
    "SSM, 1024 shared": lambda u, i, items, *_: ssm_shared(u, i, items),
    "DirectAU": directau(uniformity_product),
    "DirectAU (pdist)": directau(uniformity_pdist),
}


def epoch(name, fused, train, user_count, item_count, share):
    users = torch.nn.Embedding(user_count, DIM)
    items = torch.nn.Embedding(item_count, DIM)
    for table in (users, items):
        torch.nn.init.xavier_uniform_(table.weight)
    optimizer = torch.optim.Adam([users.weight, items.weight], lr=1e-3, fused=fused)
    loss_of = LOSSES[name]

    def steps(count):
        batches = train[torch.randperm(len(train))].split(BATCH)[:count]
        for batch in batches:
            user_ids, item_ids = batch[:, 0], batch[:, 1]
            loss = loss_of(
                users(user_ids), items(item_ids), items, user_ids, item_ids, users, items
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return len(batches)

    steps(3)  # the first ones set memory up
    whole = -(-len(train) // BATCH)
    begin = time.perf_counter()
    taken = steps(max(1, round(share * whole)))
    return (time.perf_counter() - begin) * whole / taken


def ranking(train, test, user_count, item_count):
    users, items = torch.randn(user_count, DIM), torch.randn(item_count, DIM)
    seen = torch.sparse_coo_tensor(
        train.T, torch.ones(len(train)), (user_count, item_count)
    ).coalesce().to_sparse_csr()
    first, column = seen.crow_indices(), seen.col_indices()
    begin = time.perf_counter()
    for batch in torch.unique(test[:, 0]).split(1024):
        scores = users[batch] @ items.T
        counts = first[batch + 1] - first[batch]
        row = torch.repeat_interleave(torch.arange(len(batch)), counts)
        place = torch.arange(int(counts.sum())) - torch.repeat_interleave(
            torch.cumsum(counts, 0) - counts, counts
        )
        scores[row, column[torch.repeat_interleave(first[batch], counts) + place]] = -torch.inf
        scores.topk(20, dim=1)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="with train.bin and test.bin")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--share", type=float, default=1.0, help="of an epoch's steps to time")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)  # of sparse tensors being beta
    torch.set_num_threads(options.threads)
    torch.manual_seed(123)
    train = read_pairs(options.folder / "train.bin")
    test = read_pairs(options.folder / "test.bin")
    user_count, item_count = (int(max(train[:, k].max(), test[:, k].max())) + 1 for k in (0, 1))
    seconds = {}
    for name in LOSSES:
        for fused in (False, True):
            key = name + (", fused Adam" if fused else "")
            seconds[key] = epoch(name, fused, train, user_count, item_count, options.share)
    ranking(train, test[:4096], user_count, item_count)
    seconds["ranking"] = ranking(train, test, user_count, item_count)
    json.dump({"library": f"PyTorch {torch.__version__}", "seconds": seconds}, sys.stdout)


if __name__ == "__main__":
    main()
