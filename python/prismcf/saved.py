# SPDX-License-Identifier: BSD-3-Clause
"""Models in files and in pickles."""

from __future__ import annotations

import contextlib
import io
import os
from typing import Any, Dict, Iterator, Optional, Tuple, Union

from ._load import module as _native
from .model import Model


def load(path: Union[str, "os.PathLike[str]"]) -> Model:
    """A model that Recommender.save(), or C++'s save_model(), has written."""
    import shutil

    folder = os.path.realpath(os.fspath(path))
    # Another model may take the folder's place: what is saved or pickled later is this one.
    manifest = b""
    for _ in range(100):
        manifest = _manifest(folder)
        ranker, integers = _native.Ranker.load(folder), _saved_integers(folder)
        if manifest == _manifest(folder):
            break

    def write(to: str) -> None:
        with _staged(to) as stage:
            try:
                shutil.copytree(folder, stage, dirs_exist_ok=True)
            except FileNotFoundError:
                pass
            if _manifest(stage) != manifest:
                raise ValueError(
                    f"the model cannot be saved: {folder}, from which it was loaded, has changed since"
                )

    return Model(ranker, integers, write)


def _manifest(folder: str) -> bytes:
    """The lines of a saved model, which have the checksums of its files; empty if there is none."""
    try:
        with open(os.path.join(folder, "manifest.txt"), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


@contextlib.contextmanager
def _staged(to: str) -> Iterator[str]:
    """A folder that takes its name, in place of one there, once it is complete."""
    import shutil
    import tempfile

    to = os.path.abspath(to)
    if os.path.isdir(to) and os.listdir(to) and not _manifest(to):
        raise ValueError(f"{to} must be empty, or a saved model: it has files of another kind")
    os.makedirs(os.path.dirname(to), exist_ok=True)
    stage = tempfile.mkdtemp(dir=os.path.dirname(to))
    os.chmod(stage, 0o755)
    try:
        yield stage
        if os.path.isdir(to):
            before = tempfile.mkdtemp(dir=os.path.dirname(to))
            os.rename(to, os.path.join(before, "before"))
            os.rename(stage, to)
            shutil.rmtree(before)
        else:
            os.rename(stage, to)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def pack(model: Model) -> bytes:
    """A saved model as one archive."""
    import tarfile
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        model.save(path)
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(path, "model")
        return packed.getvalue()


def unpickled(packed: bytes, threads: Optional[int]) -> Model:
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        _unpack(packed, folder)
        model = load(os.path.join(folder, "model"))

    def write(to: str) -> None:
        with _staged(to) as stage, tempfile.TemporaryDirectory() as folder:
            _unpack(packed, folder)
            shutil.copytree(os.path.join(folder, "model"), stage, dirs_exist_ok=True)

    model._write = write
    model.threads = threads
    return model


def _unpack(packed: bytes, folder: str) -> None:
    import tarfile

    # In the versions of Python that have it.
    trusted: Dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, **trusted)


INTEGERS = "python integer ids"  # a note of a saved model


def _saved_integers(folder: str) -> Tuple[bool, bool]:
    notes = dict(_native.saved_description(folder))
    kinds = notes.get("note " + INTEGERS, "").split()
    return "users" in kinds, "items" in kinds
