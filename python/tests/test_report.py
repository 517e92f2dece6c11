# SPDX-License-Identifier: BSD-3-Clause
"""The page about trained models."""

import json
import re
import shutil
import subprocess

import pytest

import prismcf as pr


def test_a_report_has_the_models_and_needs_no_other_file(tmp_path):
    split = pr.random_split(pr.synthetic(users=100, items=60, interactions_per_user=8), seed=1)
    ssm = pr.Recommender(pr.MF(8), pr.SSM(), epochs=3).fit(split)
    directau = pr.Recommender(pr.MF(8), pr.DirectAU(), epochs=2).fit(split)
    pr.write_report(tmp_path / "run.html", {"<!--<script>": ssm, "DirectAU": directau}, split, k=5)
    page = (tmp_path / "run.html").read_text()
    assert not re.search(r"(src|href)=|url\(|@import", page)
    text = re.search(
        r'<script id="record" type="application/json">(.*?)</script>', page, re.DOTALL
    )[1]
    record = json.loads(text)
    assert [run["model"] for run in record["runs"]] == ["<!--<script>", "DirectAU"]
    first = record["runs"][0]
    assert first["test_by_dot"]["ndcg"] == ssm.evaluate(split, k=5).ndcg
    assert len(first["history"]["epochs"]) == 3
    assert sum(each["items"] for each in first["item_magnitudes"]) == 60
    assert [file.name for file in tmp_path.iterdir()] == ["run.html"]
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser:
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path}/browser",
        ]
        drawn = subprocess.run(
            [browser, *options, "--dump-dom", f"file://{tmp_path}/run.html"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert drawn.count("<figure>") == 4 and 'data-drawn="whole"' in drawn


def test_a_report_refuses_what_is_not_fitted(tmp_path):
    split = pr.random_split(pr.synthetic(users=100, items=60, interactions_per_user=8), seed=1)
    with pytest.raises(ValueError, match="models\\['a'\\] must be fitted"):
        pr.write_report(tmp_path / "run.html", {"a": pr.Recommender()}, split)
    with pytest.raises(ValueError, match="at least one"):
        pr.write_report(tmp_path / "run.html", {}, split)
    assert list(tmp_path.iterdir()) == []
