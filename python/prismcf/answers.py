# SPDX-License-Identifier: BSD-3-Clause
"""What a trained model is asked."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Dict, Literal, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._check import by_cosine, whole
from ._load import module as _native
from .data import Interactions, histories_of
from .ids import IdArray, IdSequence, Rows, sequence, text_of
from .splits import Split, require_same_ids

Scores = npt.NDArray[np.float32]
Untrained = Literal["popular", "rows", "raise"]


@dataclass(frozen=True)
class Report:
    """Metrics of lists of length k: means over the users with a relevant item."""

    k: int
    users: int
    ndcg: float
    recall: float
    precision: float
    mrr: float
    hit_rate: float
    coverage: float
    """The share of all items that are in at least one list."""
    average_popularity: float
    gini: float
    ndcg_popular: float
    """The part of ndcg from the 5 % most popular items; the three parts add up to ndcg."""
    ndcg_neutral: float
    ndcg_unpopular: float


class Answers:
    """The questions that a Model, and a trained Recommender, answers.

    Ids are those of the data. Lists are arrays, one row for each question: ids, best first, and
    scores. Where a list has fewer than k items, the rest are None (-1 among integers) with the score
    NaN.
    """

    threads: Optional[int]
    """At most so many threads answer; None: no limit."""

    @property
    def _ranker(self) -> Any:
        raise NotImplementedError

    @property
    def _train(self) -> Interactions:
        raise NotImplementedError

    @property
    def _length(self) -> int:
        """Of the lists that are evaluated."""
        return 20

    @property
    def user_factors(self) -> Scores:
        """The users' rows, users x dim, without a copy."""
        return _read_only(self._ranker.user_factors())

    @property
    def item_factors(self) -> Scores:
        """The items' rows with the magnitudes that they are ranked with, without a copy."""
        return _read_only(self._ranker.item_factors())

    def recommend(
        self,
        users: Optional[IdSequence] = None,
        k: int = 10,
        *,
        exclude_seen: bool = True,
        among: Optional[IdSequence] = None,
        without: Optional[IdSequence] = None,
        similarity: Literal["dot", "cosine"] = "dot",
        untrained: Untrained = "popular",
    ) -> Tuple[IdArray, Scores]:
        """The k best items for each user; for all users, in the order of train.user_ids, if None.

        among, without: the only items to recommend, items not to recommend. A user without an
        interaction in training gets the most popular items, scored by their numbers of users; with
        untrained="rows" what its initial row gives; with "raise" there is a ValueError. Items without
        an interaction in training are not recommended, except with "rows" (evaluate() ranks them too).
        Raises KeyError for an id that the model does not have.

        Returns ids (users x k) and scores (users x k, float32).
        """
        rows = (
            np.arange(self._train.n_users, dtype=np.uint32)
            if users is None
            else self._train.rows_of_users(users)
        )
        if untrained not in ("popular", "rows", "raise"):
            raise ValueError(f"untrained must be 'popular', 'rows' or 'raise', not {untrained!r}")
        if untrained == "raise":
            without_history = np.flatnonzero(self._train.user_degree[rows] == 0)
            if without_history.size:
                first = self._train.user_ids.of(rows[without_history[:1]])[0]
                raise ValueError(
                    f"{without_history.size} users have no interaction in training, such as {first!r}"
                )
        with _native.Threads(self.threads):
            items, scores = self._ranker.recommend(
                rows, whole("k", k, 1), by_cosine(similarity), exclude_seen, self._items(among),
                self._items(without), untrained == "rows",
            )  # fmt: skip
        return self._train.item_ids.of(np.asarray(items)), np.asarray(scores)

    def recommend_to_new(
        self,
        histories: Any,
        k: int = 10,
        *,
        exclude_seen: bool = True,
        among: Optional[IdSequence] = None,
        without: Optional[IdSequence] = None,
        similarity: Literal["dot", "cosine"] = "dot",
    ) -> Tuple[IdArray, Scores]:
        """The k best items for users who came after training, from the items of each.

        histories: a sequence of ids for each user; or a sparse matrix, users x items, whose columns are
        the rows of the model's items. Items that the model does not have are passed over, with a
        warning if a user has no other; such a user gets the most popular items.
        """
        native = self._train._native
        known = []
        strangers = 0
        if hasattr(histories, "tocsr"):
            matrix = histories.tocsr()
            if matrix.shape[1] != self._train.n_items:
                raise ValueError(
                    f"histories must have a column for each of the {self._train.n_items} items, not "
                    f"{matrix.shape[1]}"
                )
            known = histories_of(matrix)
        else:
            for place, history in enumerate(histories):
                name = f"histories[{place}]"
                wanted = [text_of(one, name) for one in sequence(history, name)]
                rows = np.asarray(native.item_rows(wanted))
                rows = np.ascontiguousarray(rows[rows != _native.absent])
                strangers += len(wanted) > 0 and len(rows) == 0
                known.append(rows)
        if strangers:
            warnings.warn(
                f"{strangers} users have no item that the model has: they get the most popular ones",
                stacklevel=2,
            )
        with _native.Threads(self.threads):
            items, scores = self._ranker.recommend_to_new(
                _native.with_items_of(native, known), whole("k", k, 1), by_cosine(similarity),
                exclude_seen, self._items(among), self._items(without),
            )  # fmt: skip
        return self._train.item_ids.of(np.asarray(items)), np.asarray(scores)

    def similar_items(
        self, items: IdSequence, k: int = 10, *, untrained: bool = False
    ) -> Tuple[IdArray, Scores]:
        """The k items most similar to each item, by cosine; without those that training never saw."""
        rows = self._train.rows_of_items(items)
        with _native.Threads(self.threads):
            found, scores = self._ranker.similar(rows, whole("k", k, 1), False, untrained)
        return self._train.item_ids.of(np.asarray(found)), np.asarray(scores)

    def similar_users(
        self, users: IdSequence, k: int = 10, *, untrained: bool = False
    ) -> Tuple[IdArray, Scores]:
        """The k users most similar to each user, by cosine; without those that training never saw."""
        rows = self._train.rows_of_users(users)
        with _native.Threads(self.threads):
            found, scores = self._ranker.similar(rows, whole("k", k, 1), True, untrained)
        return self._train.user_ids.of(np.asarray(found)), np.asarray(scores)

    def scores(self, users: IdSequence, items: IdSequence) -> Scores:
        """The score of each pair (users[j], items[j]), by which recommend() ranks."""
        rows = self._train.rows_of_users(users), self._train.rows_of_items(items)
        return np.asarray(self._ranker.scores(*rows))

    def evaluate(
        self,
        relevant: Union[Split, Interactions],
        k: Optional[int] = None,
        *,
        exclude: Sequence[Interactions] = (),
        similarity: Literal["dot", "cosine"] = "dot",
    ) -> Report:
        """Ranks all items for each user of a test set, without those seen in training.

        relevant: the test set; or a split, whose validation set is then left out of the lists too.
        k: 20, or that of a Recommender's training. exclude: further interactions whose items are left out. All must have the model's users and
        items in the same order, and no interaction of the test set may be one of training.
        """
        return Report(**self._evaluated(relevant, k, exclude, similarity, False))

    def evaluate_users(
        self,
        relevant: Union[Split, Interactions],
        k: Optional[int] = None,
        *,
        exclude: Sequence[Interactions] = (),
        similarity: Literal["dot", "cosine"] = "dot",
    ) -> Dict[str, npt.NDArray[Any]]:
        """The metrics of each user, as evaluate() has their means: for paired tests of two models.

        "users" has the ids of the users with a relevant item; "ndcg", "recall", "precision",
        "average_precision", "reciprocal_rank" and "hit" a number for each of them.
        """
        values = self._evaluated(relevant, k, exclude, similarity, True)
        arrays = {name: np.asarray(array) for name, array in values.items()}
        arrays["users"] = self._train.user_ids.of(arrays["users"])
        return arrays

    def _evaluated(
        self,
        relevant: Union[Split, Interactions],
        k: Optional[int],
        exclude: Sequence[Interactions],
        similarity: str,
        each_user: bool,
    ) -> Dict[str, Any]:
        left_out = list(exclude)
        if isinstance(relevant, Split):
            left_out += [relevant.train, relevant.validation]
            relevant = relevant.test
        require_same_ids(self._train, relevant, "relevant")
        for part in left_out:
            require_same_ids(self._train, part, "exclude")
            if _native.have_common_interaction(relevant._native, part._native):
                raise ValueError("relevant must have no interaction that is left out of the lists")
        natives = [part._native for part in left_out]
        with _native.Threads(self.threads):
            values: Dict[str, Any] = self._ranker.evaluate(
                relevant._native,
                whole("k", self._length if k is None else k, 1),
                natives,
                by_cosine(similarity),
                each_user,
            )
        return values

    def _items(self, ids: Optional[IdSequence]) -> Optional[Rows]:
        return None if ids is None else self._train.rows_of_items(ids)


def _read_only(view: Any) -> Scores:
    array = np.asarray(view)
    array.flags.writeable = False
    return array
