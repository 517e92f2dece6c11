# SPDX-License-Identifier: BSD-3-Clause
"""A model with the interface of the library implicit (0.7), so that one line of a program changes:

    from prismcf.implicit import Recommender    # was: from implicit.als import AlternatingLeastSquares

    model = Recommender(factors=64)
    model.fit(user_items)
    ids, scores = model.recommend(userid, user_items[userid], N=10)

Users and items are numbers of rows and columns. Values of the matrix other than 0 are interactions; as
all models of prismcf, it learns from interactions without weights.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._load import module as _native
from .data import Interactions, from_csr, histories_of
from .model import Model
from .policies import MF, SSM, Backbone, Loss
from .recommender import Recommender as _Recommender
from .saved import load
from .splits import Split, random_split

Numbers = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float32]
One = Union[int, npt.ArrayLike]


class Recommender:
    """Trains on a part of each matrix and stops by the rest.

    factors: dimension of the embeddings. loss, backbone: as of prismcf.Recommender, to which all other
    keyword arguments go. validation: the part of the interactions that training stops by; with 0, all
    are trained on, and `epochs` must be given.
    """

    def __init__(
        self,
        factors: int = 64,
        loss: Loss = SSM(),
        *,
        backbone: Optional[Backbone] = None,
        validation: float = 0.1,
        random_state: Optional[int] = None,
        num_threads: int = 0,
        **parameters: Any,
    ) -> None:
        self.factors = factors
        self.validation = validation
        self.random_state = random_state
        self._recommender = _Recommender(
            backbone if backbone is not None else MF(factors),
            loss,
            seed=123 if random_state is None else int(random_state),
            threads=num_threads if num_threads > 0 else None,
            **parameters,
        )
        self._model: Optional[Model] = None

    def fit(
        self,
        user_items: Any,
        show_progress: bool = True,
        callback: Optional[Callable[[int, float], None]] = None,
    ) -> None:
        """Trains. callback is called after each epoch with its number, from 0, and its seconds."""

        def on_epoch(record: Any) -> bool:
            if callback is not None:
                callback(record["epoch"] - 1, record["train_seconds"])
            return False

        self._recommender.verbose = show_progress
        data = from_csr(user_items)
        split: Union[Split, Interactions] = data
        if self.validation > 0:
            split = random_split(
                data, validation=self.validation, test=0, seed=self._recommender.seed
            )
        self._recommender.fit(split, on_epoch=on_epoch)
        self._model = self._recommender.model_

    @property
    def model(self) -> Model:
        """The trained model, with prismcf's own interface."""
        if self._model is None:
            raise AttributeError("the model is not trained: call fit() first")
        return self._model

    @property
    def user_factors(self) -> Scores:
        return self.model.user_factors

    @property
    def item_factors(self) -> Scores:
        return self.model.item_factors

    def recommend(
        self,
        userid: One,
        user_items: Any,
        N: int = 10,
        filter_already_liked_items: bool = True,
        filter_items: Optional[npt.ArrayLike] = None,
        recalculate_user: bool = False,
        items: Optional[npt.ArrayLike] = None,
    ) -> Tuple[Numbers, Scores]:
        """The N best items of a user, or of each of several.

        user_items: the rows of these users. Their items are left out if filter_already_liked_items;
        with recalculate_user, the users' factors are computed from them. Lists that end early have -1
        and NaN.
        """
        users = np.atleast_1d(np.asarray(userid))
        rows = user_items.tocsr() if user_items is not None else None
        if rows is not None and rows.ndim == 1:  # an array of SciPy, indexed by one number
            rows = rows.reshape(1, -1).tocsr()
        if rows is not None and rows.shape[0] != len(users):
            raise ValueError(
                f"user_items must have a row for each of the {len(users)} users, not {rows.shape[0]}"
            )
        if rows is None and (filter_already_liked_items or recalculate_user):
            raise ValueError("user_items must be given to leave out its items, or to recalculate")
        model = self.model
        count = model.train.n_items
        if rows is not None and rows.shape[1] != count:
            raise ValueError(
                f"user_items must have a column for each of the {count} items, not {rows.shape[1]}"
            )
        among = None if items is None else _rows(items)
        without = None if filter_items is None else _rows(filter_items)
        if recalculate_user:
            ids, scores = model.recommend_to_new(
                rows, N, exclude_seen=filter_already_liked_items, among=among, without=without
            )
        else:
            seen = (
                _native.with_items_of(model.train._native, histories_of(rows))
                if filter_already_liked_items
                else None
            )
            with _native.Threads(model.threads):
                ids, scores = model._ranker.recommend(
                    model.train.rows_of_users(users), N, False, filter_already_liked_items,
                    None if among is None else among.astype(np.uint32),
                    None if without is None else without.astype(np.uint32), False, seen,
                )  # fmt: skip
            ids = model.train.item_ids.of(np.asarray(ids))
        return _shaped(userid, np.asarray(ids), np.asarray(scores))

    def similar_items(
        self,
        itemid: One,
        N: int = 10,
        recalculate_item: bool = False,
        item_users: Any = None,
        filter_items: Optional[npt.ArrayLike] = None,
        items: Optional[npt.ArrayLike] = None,
    ) -> Tuple[Numbers, Scores]:
        """The N most similar items by cosine, the item itself first."""
        if recalculate_item:
            raise NotImplementedError("recalculate_item")
        count = self.model.train.n_items
        return self._similar(self.model.similar_items, count, itemid, N, filter_items, items)

    def similar_users(
        self,
        userid: One,
        N: int = 10,
        filter_users: Optional[npt.ArrayLike] = None,
        users: Optional[npt.ArrayLike] = None,
    ) -> Tuple[Numbers, Scores]:
        """The N most similar users by cosine, the user itself first."""
        count = self.model.train.n_users
        return self._similar(self.model.similar_users, count, userid, N, filter_users, users)

    @staticmethod
    def _similar(
        ask: Callable[..., Tuple[Any, Any]],
        count: int,
        one: One,
        N: int,
        left_out: Optional[npt.ArrayLike],
        among: Optional[npt.ArrayLike],
    ) -> Tuple[Numbers, Scores]:
        rows = np.atleast_1d(np.asarray(one))
        barred = np.zeros(count + 1, dtype=bool)  # the last one is that of -1
        if among is not None:
            barred[:-1] = True
            barred[_rows(among)] = False
        if left_out is not None:
            barred[_rows(left_out)] = True
        ids = np.full((len(rows), N), -1, dtype=np.int64)
        cosines = np.full((len(rows), N), np.nan, dtype=np.float32)
        # Asks for so many more as may have to be left out, for some rows at a time.
        asked = min(N + int(barred.sum()), count)
        block = max(1, 2**22 // asked)
        for first in range(0, len(rows), block):
            some = rows[first : first + block]
            found, scores = ask(some, asked)
            for place, row in enumerate(some):
                found_ids = np.concatenate([[row], found[place]])
                kept = np.flatnonzero(~barred[found_ids] & (found_ids >= 0))[:N]
                ids[first + place, : len(kept)] = found_ids[kept]
                own = np.concatenate([np.ones(1, dtype=np.float32), scores[place]])
                cosines[first + place, : len(kept)] = own[kept]
        return _shaped(one, ids, cosines)

    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a folder."""
        self.model.save(file)

    @classmethod
    def load(cls, file: Union[str, "os.PathLike[str]"]) -> "Recommender":
        """A saved model, to be asked."""
        model = load(file)
        loaded = cls(factors=model.item_factors.shape[1])
        loaded._model = model
        return loaded


def _rows(numbers: npt.ArrayLike) -> npt.NDArray[np.int64]:
    return np.atleast_1d(np.asarray(numbers, dtype=np.int64))


def _shaped(asked: One, ids: Any, scores: Any) -> Tuple[Numbers, Scores]:
    """One list for one number, a row for each of several."""
    ids = ids.astype(np.int32)
    return (ids[0], scores[0]) if np.ndim(asked) == 0 else (ids, scores)
