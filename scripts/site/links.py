# SPDX-License-Identifier: BSD-3-Clause
"""A hook of MkDocs: pages may link files outside docs/, which the site then contains.

A linked document, such as CONTRIBUTING.md, becomes a page in project/; a linked source file is copied
into source/. A link to a folder stays as its text.
"""

import os
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def place(path):
    """Where the site has a file of the repository, from docs/ on."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.endswith(".md"):
        return "project/" + path
    return "source/" + path.replace("/.", "/").lstrip(".")  # a site has no hidden files


def linked(source, target):
    """The path in the repository that a document's link names; None for an address."""
    if re.match(r"[a-z]+:", target):
        return None
    return os.path.normpath(os.path.join(os.path.dirname(source), target))


def source_of(page_path):
    """The path in the repository of a page."""
    return page_path.removeprefix("project/") if page_path.startswith("project/") else "docs/" + page_path


def on_post_build(config):
    """Fails if a page names a file of the site that is not there."""
    site = Path(config["site_dir"])
    wrong = []
    for page in site.rglob("*.html"):
        for name in re.findall(r'(?:href|src)="?([^"> ]+)', page.read_text()):
            target = name.split("#")[0].split("?")[0]
            if re.match(r"[a-z]+:|/|$", target):
                continue
            if not (page.parent / target).exists():
                wrong.append(f"{page.relative_to(site)} names {name}")
    if wrong:
        raise PluginError("\n".join(wrong))


def on_files(files, config):
    pending = [source_of(file.src_uri) for file in files if file.src_uri.endswith(".md")]
    seen = set(pending)
    while pending:
        document = pending.pop()
        for _, target, _ in LINK.findall((ROOT / document).read_text()):
            path = linked(document, target)
            if path is None or path in seen or path.startswith("docs/") or not (ROOT / path).is_file():
                continue
            seen.add(path)
            files.append(File.generated(config, place(path), abs_src_path=str(ROOT / path)))
            if path.endswith(".md"):
                pending.append(path)
    return files


def on_page_markdown(markdown, page, config, files):
    source = source_of(page.file.src_uri)
    here = os.path.dirname(place(source))

    def rewritten(match):
        text, target, anchor = match.groups()
        path = linked(source, target)
        if path is None:
            return match[0]
        if (ROOT / path).is_dir():
            return text
        return f"[{text}]({os.path.relpath(place(path), here or '.')}{anchor or ''})"

    return LINK.sub(rewritten, markdown)
