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

from .data import Interactions, from_csr
from .model import Model, load
from .policies import MF, SSM, Backbone, Loss
from .recommender import Recommender as _Recommender
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
        lists = [] if rows is None else [rows.indices[a:b] for a, b in _ranges(rows.indptr)]
        longest = max(map(len, lists), default=0) if filter_already_liked_items else 0
        among = None if items is None else np.asarray(items).tolist()
        without = None if filter_items is None else np.asarray(filter_items).tolist()
        # Asks for so many more as may have to be left out.
        if recalculate_user:
            ids, scores = self.model.recommend_to_new(
                lists, N, exclude_seen=filter_already_liked_items, among=among, without=without
            )
        else:
            ids, scores = self.model.recommend(
                users, min(N + longest, self.model.train.n_items), exclude_seen=False, among=among,
                without=without,
            )  # fmt: skip
            if longest:
                ids, scores = _without(ids, scores, lists, N)
        return _shaped(userid, ids[:, :N], scores[:, :N])

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
        restricted = left_out is not None or among is not None
        ids, cosines = ask(rows, count if restricted else N)
        ids = np.hstack([rows[:, None], ids])
        cosines = np.hstack([np.ones((len(rows), 1), dtype=np.float32), cosines])
        if restricted:
            barred = np.zeros(count + 1, dtype=bool)  # the last one is that of -1
            if among is not None:
                barred[:-1] = True
                barred[np.asarray(among)] = False
            if left_out is not None:
                barred[np.asarray(left_out)] = True
            ids, cosines = _without(ids, cosines, [np.flatnonzero(barred)] * len(rows), N)
        return _shaped(one, ids[:, :N], cosines[:, :N])

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


def _ranges(ends: Any) -> Any:
    return zip(ends[:-1], ends[1:])


def _without(ids: Any, scores: Any, lists: Any, count: int) -> Tuple[Any, Any]:
    """Each row's first `count` entries that are not in its list."""
    kept_ids = np.full((len(ids), count), -1, dtype=ids.dtype)
    kept_scores = np.full((len(ids), count), np.nan, dtype=np.float32)
    for row, left_out in enumerate(lists):
        kept = np.flatnonzero(~np.isin(ids[row], left_out))[:count]
        kept_ids[row, : len(kept)] = ids[row, kept]
        kept_scores[row, : len(kept)] = scores[row, kept]
    return kept_ids, kept_scores


def _shaped(asked: One, ids: Any, scores: Any) -> Tuple[Numbers, Scores]:
    """One list for one number, a row for each of several."""
    ids = ids.astype(np.int32)
    return (ids[0], scores[0]) if np.ndim(asked) == 0 else (ids, scores)
