# SPDX-License-Identifier: BSD-3-Clause
"""The Python in the documents runs, page by page, as a reader would run it."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
OPTIONAL = ("polars", "pandas", "pyarrow", "scipy", "sklearn")
BLOCK = re.compile(r"^(<!-- not run: .*-->\n)?```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages():
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in documents if BLOCK.search(page.read_text())]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with the files that the documents name."""
    rng = np.random.default_rng(1)
    users = [str(42 + 15 * (k % 40)) for k in range(1200)]
    items = rng.integers(0, 50, 1200)
    lines = ["user,item,rating", *(f"{u},{i},5" for u, i in zip(users, items))]
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page, files):
    names = {}
    text = page.read_text()
    for block in BLOCK.finditer(text):
        skipped, code = block.groups()
        if skipped:
            continue
        line = text[: block.start()].count("\n") + 1
        try:
            # Padded so that a traceback has the page's line numbers.
            exec(compile("\n" * line + code, str(page), "exec"), names)  # noqa: S102
        except ModuleNotFoundError as error:
            if error.name not in OPTIONAL:
                raise
            pytest.skip(f"{page.name}, line {line}: {error}")
