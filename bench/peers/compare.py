# SPDX-License-Identifier: BSD-3-Clause
"""Runs prism_times and pytorch.py in turns on the same data and threads; prints both and the ratio."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# pytorch.py's names for each of prism's times.
PEERS = {
    "BPR": ["BPR", "BPR, fused Adam"],
    "SSM": ["SSM", "SSM, fused Adam"],
    "SSM, 1024 shared": ["SSM, 1024 shared", "SSM, 1024 shared, fused Adam"],
    "DirectAU": [
        "DirectAU (pdist)",
        "DirectAU (pdist), fused Adam",
        "DirectAU",
        "DirectAU, fused Adam",
    ],
    "ranking": ["ranking"],
}


def run(command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prism_times", type=pathlib.Path)
    parser.add_argument("--data", help="interactions; synthetic ones of Gowalla's size if left out")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.1, help="of PyTorch's epochs to time")
    options = parser.parse_args()
    data = ["--data", options.data] if options.data else []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.prism_times, *data, "--write", folder], check=True)
        for threads in options.threads:
            count = ["--threads", str(threads)]
            ours, theirs = [], []
            for _ in range(options.runs):
                ours.append(run([options.prism_times, *data, *count]))
                theirs.append(
                    run([sys.executable, HERE / "pytorch.py", folder, *count, "--share",
                         str(options.share)])
                )
            print(f"\n{ours[0]['library']} against {theirs[0]['library']}, {threads} threads, "
                  f"median (least to greatest) of {options.runs} runs in turns")
            print(f"{'':30} {'prism':>9} {'PyTorch':>9}  ratio")
            for what, names in PEERS.items():
                for name in names:
                    mine = [one["seconds"][what] for one in ours]
                    other = [one["seconds"][name] for one in theirs]
                    ratios = sorted(b / a for a, b in zip(mine, other))
                    print(f"{name:30} {statistics.median(mine):7.2f} s {statistics.median(other):7.2f} s"
                          f"  {statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})")


if __name__ == "__main__":
    main()
