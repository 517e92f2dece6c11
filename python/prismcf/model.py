# SPDX-License-Identifier: BSD-3-Clause
"""Trained and loaded models, which answer questions."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Tuple, Union

from .answers import Answers
from .data import Interactions
from .ranking import Ranking


class Model(Answers):
    """A trained or loaded model, which answers questions."""

    def __init__(
        self,
        ranker: Any,
        integers: Tuple[bool, bool] = (False, False),
        write: Optional[Callable[[str], None]] = None,
        threads: Optional[int] = None,
    ) -> None:
        self._native = ranker
        self._interactions = Interactions(ranker.train, integers)
        self._integers = integers
        self._write = write
        self.threads = threads

    @property
    def _ranker(self) -> Any:
        return self._native

    @property
    def _train(self) -> Interactions:
        return self._interactions

    def __repr__(self) -> str:
        return f"Model({self.name})"

    @property
    def name(self) -> str:
        return str(self._ranker.name)

    @property
    def train(self) -> Interactions:
        """What it was trained on."""
        return self._train

    @property
    def ranking(self) -> Ranking:
        """The magnitudes that items are ranked with; a power or alpha that training chose."""
        native = self._ranker.ranking
        magnitudes = tuple(native.magnitudes) or None
        return Ranking(native.power, native.alpha, native.exponent, magnitudes, native.users)

    def with_ranking(self, ranking: Ranking) -> "Model":
        """The model with other magnitudes, for example a larger power for more popular items."""
        if not isinstance(ranking, Ranking):
            raise TypeError(f"ranking must be a Ranking, not {ranking!r}")
        native = ranking._to_native()
        if ranking.chooses():
            raise ValueError(
                "ranking must have one power or alpha: only training chooses among several"
            )
        ranker = self._ranker.with_ranking(native)
        return Model(ranker, self._integers, threads=self.threads)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model into a folder, for load() and for the C++ library and its programs."""
        if self._write is None:
            raise ValueError(
                "a model of with_ranking() cannot be saved, pickled or copied: save the model that it "
                "came from, or train with this ranking"
            )
        self._write(os.fspath(path))

    def __reduce__(self) -> Tuple[Callable[..., "Model"], Tuple[bytes, Optional[int]]]:
        from .saved import pack, unpickled  # which needs this class

        return unpickled, (pack(self), self.threads)
