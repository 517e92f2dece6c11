# SPDX-License-Identifier: BSD-3-Clause
"""Queries of an ItemIndex beside faiss and hnswlib, in turns, on the same rows.

    ./scripts/build.sh release serving_times
    python3 -m venv build/serving && build/serving/bin/pip install faiss-cpu hnswlib numpy
    build/serving/bin/python bench/peers/serving.py build/release/bench/serving_times

Microseconds a query, the 10 best items, the least of the runs: of wall-clock time, and of the
processor's time, which other programs on the machine disturb less. Recall is the share of the exact
lists that is found.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

QUERIES, K, ROUNDS = 256, 10, 5


def least(body):
    wall = cpu = float("inf")
    for _ in range(ROUNDS):
        begin, cpu_begin = time.perf_counter(), time.process_time()
        body()
        cpu = min(cpu, time.process_time() - cpu_begin)
        wall = min(wall, time.perf_counter() - begin)
    return wall * 1e6 / QUERIES, cpu * 1e6 / QUERIES


def both(single, batch):
    names = ("single wall", "single cpu", "batch wall", "batch cpu")
    return dict(zip(names, (*least(single), *least(batch))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="serving_times")
    parser.add_argument("--items", type=int, nargs="+", default=[40_000, 1_000_000])
    parser.add_argument("--dim", type=int, nargs="+", default=[64, 128])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--hnsw-items", type=int, default=100_000,
                        help="the largest catalogue to build hnswlib's graph of")
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(args.threads)
    import faiss
    import hnswlib
    import numpy as np
    faiss.omp_set_num_threads(args.threads)
    print("faiss", faiss.__version__, faiss.get_compile_options())
    for items in args.items:
        for dim in args.dim:
            with tempfile.TemporaryDirectory() as folder:
                size = [folder, str(items), str(dim)]
                subprocess.run([args.program, "write", *size], check=True)
                users = np.load(pathlib.Path(folder, "users.npy"))
                rows = np.load(pathlib.Path(folder, "items.npy"))
                flat = faiss.IndexFlatIP(dim)
                flat.add(rows)
                graph = None
                if items <= args.hnsw_items:
                    graph = hnswlib.Index(space="ip", dim=dim)
                    graph.init_index(max_elements=items, M=16, ef_construction=200)
                    graph.set_num_threads(args.threads)
                    graph.add_items(rows)
                times = {}

                def note(name, run):
                    for key, value in run.items():
                        old = times.setdefault(name, {}).get(key, float("inf"))
                        times[name][key] = min(old, value)

                for _ in range(args.runs):
                    out = subprocess.run([args.program, "time", *size, str(args.threads)],
                                         check=True, stdout=subprocess.PIPE, text=True).stdout
                    note("prism", json.loads(out))
                    note("faiss IndexFlatIP", both(
                        lambda: [flat.search(users[q:q + 1], K) for q in range(QUERIES)],
                        lambda: flat.search(users, K)))
                    for ef in (50, 200, 800) if graph else ():
                        graph.set_ef(ef)
                        note(f"hnswlib, ef {ef}", both(
                            lambda: [graph.knn_query(users[q:q + 1], k=K)
                                     for q in range(QUERIES)],
                            lambda: graph.knn_query(users, k=K)))
                exact = np.loadtxt(pathlib.Path(folder, "lists.txt"), dtype=np.int64)

                def recall(lists):
                    return np.mean([len(set(a) & set(b)) / K for a, b in zip(lists, exact)])

                for name, run in times.items():
                    if name == "prism":
                        found = 1.0
                    elif graph and name.startswith("hnswlib"):
                        graph.set_ef(int(name.rsplit(" ", 1)[1]))
                        found = recall(graph.knn_query(users, k=K)[0])
                    else:
                        found = recall(flat.search(users, K)[1])
                    print(f"{items} x {dim}, {args.threads} threads, {name}: recall {found:.4f}; " +
                          ", ".join(f"{key} {value:.1f} us" for key, value in run.items()),
                          flush=True)


if __name__ == "__main__":
    main()
