# SPDX-License-Identifier: BSD-3-Clause
"""The training and the ranking that a PyTorch user would run: MF with Adam, and full ranking.

Reads train.bin and test.bin (pairs of uint32, user and item), prints a JSON object of seconds:
one epoch for each loss, with torch.optim.Adam as it is and in its fused form, and one ranking of
the test users. With --device cuda all of it runs on the GPU, with --compile the steps go through
torch.compile.
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

DIM, NEGATIVES, TAU = 64, 10, 0.2


def read_pairs(path, device):
    pairs = np.fromfile(path, dtype=np.uint32).astype(np.int64).reshape(-1, 2)
    return torch.from_numpy(pairs).to(device)


def now():
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


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


def epoch(name, fused, train, user_count, item_count, options):
    users = torch.nn.Embedding(user_count, DIM)
    items = torch.nn.Embedding(item_count, DIM)
    for table in (users, items):
        torch.nn.init.xavier_uniform_(table.weight)
    optimizer = torch.optim.Adam([users.weight, items.weight], lr=1e-3, fused=fused or None)
    loss_of = torch.compile(LOSSES[name]) if options.compile else LOSSES[name]

    def shuffled():
        """Batches of one size: a last one of another size would be compiled again."""
        size = min(options.batch, len(train))
        return train[torch.randperm(len(train))][: len(train) // size * size].split(size)

    def steps(batches):
        for batch in batches:
            user_ids, item_ids = batch[:, 0], batch[:, 1]
            loss = loss_of(
                users(user_ids), items(item_ids), items, user_ids, item_ids, users, items
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    steps(shuffled()[: 20 if options.compile else 3])  # the first allocate memory, and compile
    begin = now()
    batches = shuffled()
    shuffling = now() - begin
    taken = max(1, round(options.share * len(batches)))
    begin = now()
    steps(batches[:taken])
    return shuffling + (now() - begin) * len(train) / (taken * len(batches[0]))


def ranking(train, test, user_count, item_count):
    users, items = torch.randn(user_count, DIM), torch.randn(item_count, DIM)
    seen = torch.sparse_coo_tensor(
        train.T, torch.ones(len(train)), (user_count, item_count)
    ).coalesce().to_sparse_csr()
    first, column = seen.crow_indices(), seen.col_indices()
    begin = now()
    for batch in torch.unique(test[:, 0]).split(1024):
        scores = users[batch] @ items.T
        counts = first[batch + 1] - first[batch]
        row = torch.repeat_interleave(torch.arange(len(batch)), counts)
        place = torch.arange(int(counts.sum())) - torch.repeat_interleave(
            torch.cumsum(counts, 0) - counts, counts
        )
        scores[row, column[torch.repeat_interleave(first[batch], counts) + place]] = -torch.inf
        scores.topk(20, dim=1)
    return now() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="with train.bin and test.bin")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--share", type=float, default=1.0, help="of an epoch's steps to time")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--compile", action="store_true", help="the losses, by torch.compile")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)  # that sparse tensors are in beta
    torch.set_num_threads(options.threads)
    torch.manual_seed(123)
    torch.set_default_device(options.device)
    train = read_pairs(options.folder / "train.bin", options.device)
    test = read_pairs(options.folder / "test.bin", options.device)
    user_count, item_count = (int(max(train[:, k].max(), test[:, k].max())) + 1 for k in (0, 1))
    seconds = {}
    for name in LOSSES:
        for fused in (False, True):
            key = name + (", fused Adam" if fused else "")
            try:
                seconds[key] = epoch(name, fused, train, user_count, item_count, options)
            except torch.cuda.OutOfMemoryError as error:  # pdist's gradient is n x n x DIM
                print(f"{key}: {error}", file=sys.stderr)
    ranking(train, test[:4096], user_count, item_count)
    seconds["ranking"] = ranking(train, test, user_count, item_count)
    steps = len(train) / options.batch
    per_step = {key: 1e3 * value / steps for key, value in seconds.items() if key != "ranking"}
    library = f"PyTorch {torch.__version__}" + (", compiled" if options.compile else "")
    json.dump({"library": library, "seconds": seconds, "milliseconds of a step": per_step},
              sys.stdout)


if __name__ == "__main__":
    main()
