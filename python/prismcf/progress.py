# SPDX-License-Identifier: BSD-3-Clause
"""What training shows."""

from __future__ import annotations

import sys
from typing import Any, Mapping


class Progress:
    """Shows a line for each epoch, and on a terminal the progress within it."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._metric = ""

    def begin(self, info: Mapping[str, Any]) -> None:
        self._metric = info["metric"]
        print(f"{info['model']}: {info['pairs']} pairs", file=sys.stderr)

    def batch(self, epoch: int, pairs: int, total: int, seconds: float) -> None:
        if self._terminal:
            text = f"\repoch {epoch}: {100 * pairs // total} %"
            print(text, end="", file=sys.stderr, flush=True)

    def epoch(self, record: Mapping[str, Any]) -> None:
        quality = record["validation"]
        shown = "" if quality is None else f"  {self._metric} {quality:.4f}"
        star = " *" if record["best"] else ""
        start = "\r" if self._terminal else ""
        print(
            f"{start}epoch {record['epoch']}: loss {record['loss']:.5f}{shown}{star}",
            file=sys.stderr,
            flush=True,
        )
