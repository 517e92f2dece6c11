# SPDX-License-Identifier: BSD-3-Clause
"""Models: chosen by their parts, trained, asked for lists, saved."""

from __future__ import annotations

import copy
import dataclasses
import io
import numbers
import os
import shutil
import sys
import tarfile
import tempfile
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import policies
from ._load import module as _native
from .data import (
    IdArray,
    IdSequence,
    Interactions,
    Rows,
    Split,
    _require_interactions,
    _require_same_ids,
    _sequence,
    _text,
    _to_native,
)

Scores = npt.NDArray[np.float32]
OnEpoch = Callable[[Mapping[str, Any]], Optional[bool]]
Untrained = Literal["popular", "rows", "raise"]


@dataclass(frozen=True)
class Ranking:
    """The magnitudes that items are ranked with, from their popularity d in training.

    `power`: (d + 1)^power. `alpha`: PRISM's alpha * log(d + 2) + 1 - alpha. `exponent`: the row's own
    magnitude to this power, times that. A sequence of powers or alphas: training chooses the one that
    ranks the validation set best.
    """

    power: Union[None, float, Sequence[float]] = None
    alpha: Union[None, float, Sequence[float]] = None
    exponent: Optional[float] = None

    @classmethod
    def power_by_validation(cls) -> "Ranking":
        return cls(power=tuple(_native.default_powers))

    @classmethod
    def alpha_by_validation(cls) -> "Ranking":
        return cls(alpha=tuple(_native.default_alphas))

    def _to_native(self) -> Any:
        native = _native.Ranking()
        for name, value in (("power", self.power), ("alpha", self.alpha)):
            if value is None:
                continue
            if isinstance(value, numbers.Real):
                setattr(native, name, _real(name, value))
                continue
            several: Any = value
            if isinstance(value, str) or not hasattr(value, "__iter__") or not len(several):
                raise ValueError(f"{name} must be a number or a sequence of numbers, not {value!r}")
            setattr(native, name + "s", [_real(name, one) for one in several])
        native.exponent = None if self.exponent is None else _real("exponent", self.exponent)
        return native

    def chooses(self) -> bool:
        """Whether training chooses the power or alpha."""
        return any(hasattr(value, "__iter__") for value in (self.power, self.alpha))


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


class Model:
    """A trained or loaded model, which answers questions.

    Ids are those of the data. Lists are arrays, one row for each question: ids, best first, and
    scores. Where a list has fewer than k items, the rest are None (-1 among integers) with the score
    NaN.
    """

    def __init__(
        self,
        ranker: Any,
        integers: Tuple[bool, bool] = (False, False),
        write: Optional[Callable[[str], None]] = None,
        threads: Optional[int] = None,
    ) -> None:
        self._ranker = ranker
        self._train = Interactions(ranker.train, integers)
        self._integers = integers
        self._write = write
        self.threads = threads
        """At most so many threads answer; None: no limit."""

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
    def user_factors(self) -> Scores:
        """The users' rows, users x dim, without a copy."""
        return _read_only(self._ranker.user_factors())

    @property
    def item_factors(self) -> Scores:
        """The items' rows with the magnitudes that they are ranked with, without a copy."""
        return _read_only(self._ranker.item_factors())

    @property
    def ranking(self) -> Ranking:
        """The magnitudes that items are ranked with; a power or alpha that training chose."""
        native = self._ranker.ranking
        return Ranking(native.power, native.alpha, native.exponent)

    def with_ranking(self, ranking: Ranking) -> "Model":
        """The model with other magnitudes, for example a larger power for more popular items."""
        if ranking.chooses():
            raise ValueError("ranking must have one power or alpha: only training chooses among several")
        ranker = self._ranker.with_ranking(ranking._to_native())
        return Model(ranker, self._integers, threads=self.threads)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model into a folder, for load() and for the C++ library and its programs."""
        if self._write is None:
            raise ValueError(
                "a model of with_ranking() cannot be saved: save the model that it came from, or train "
                "with this ranking"
            )
        self._write(os.fspath(path))

    def __reduce__(self) -> Tuple[Callable[..., "Model"], Tuple[bytes, Optional[int]]]:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            self.save(path)
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w") as archive:
                archive.add(path, "model")
            return _unpickled, (packed.getvalue(), self.threads)

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
                rows, _whole("k", k, 1), _by_cosine(similarity), exclude_seen, self._items(among),
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
            ends = matrix.indptr
            for a, b in zip(ends[:-1], ends[1:]):
                known.append(np.ascontiguousarray(matrix.indices[a:b], dtype=np.uint32))
        else:
            for place, history in enumerate(histories):
                name = f"histories[{place}]"
                wanted = [_text(one, name) for one in _sequence(history, name)]
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
                _native.with_items_of(native, known), _whole("k", k, 1), _by_cosine(similarity),
                exclude_seen, self._items(among), self._items(without),
            )  # fmt: skip
        return self._train.item_ids.of(np.asarray(items)), np.asarray(scores)

    def similar_items(
        self, items: IdSequence, k: int = 10, *, untrained: bool = False
    ) -> Tuple[IdArray, Scores]:
        """The k items most similar to each item, by cosine; without those that training never saw."""
        rows = self._train.rows_of_items(items)
        with _native.Threads(self.threads):
            found, scores = self._ranker.similar(rows, _whole("k", k, 1), False, untrained)
        return self._train.item_ids.of(np.asarray(found)), np.asarray(scores)

    def similar_users(
        self, users: IdSequence, k: int = 10, *, untrained: bool = False
    ) -> Tuple[IdArray, Scores]:
        """The k users most similar to each user, by cosine; without those that training never saw."""
        rows = self._train.rows_of_users(users)
        with _native.Threads(self.threads):
            found, scores = self._ranker.similar(rows, _whole("k", k, 1), True, untrained)
        return self._train.user_ids.of(np.asarray(found)), np.asarray(scores)

    def evaluate(
        self,
        relevant: Union[Split, Interactions],
        k: int = 20,
        *,
        exclude: Sequence[Interactions] = (),
        similarity: Literal["dot", "cosine"] = "dot",
    ) -> Report:
        """Ranks all items for each user of a test set, without those seen in training.

        relevant: the test set; or a split, whose validation set is then left out of the lists too.
        exclude: further interactions whose items are left out. All must have the model's users and
        items in the same order, and no interaction of the test set may be one of training.
        """
        left_out = list(exclude)
        if isinstance(relevant, Split):
            left_out += [relevant.train, relevant.validation]
            relevant = relevant.test
        _require_same_ids(self._train, relevant, "relevant")
        for part in left_out:
            _require_same_ids(self._train, part, "exclude")
            if _native.have_common_interaction(relevant._native, part._native):
                raise ValueError("relevant must have no interaction that is left out of the lists")
        natives = [part._native for part in left_out]
        with _native.Threads(self.threads):
            report = self._ranker.evaluate(
                relevant._native, _whole("k", k, 1), natives, _by_cosine(similarity)
            )
        return Report(**report)

    def _items(self, ids: Optional[IdSequence]) -> Optional[Rows]:
        return None if ids is None else self._train.rows_of_items(ids)


def load(path: Union[str, "os.PathLike[str]"]) -> Model:
    """A model that Recommender.save(), or C++'s save_model(), has written."""
    folder = os.path.abspath(os.fspath(path))
    ranker = _native.Ranker.load(folder)

    def write(to: str) -> None:
        if not os.path.isdir(folder):
            raise ValueError(f"the folder {folder}, from which the model was loaded, is gone")
        shutil.copytree(folder, to)

    return Model(ranker, _saved_integers(folder), write)


def _unpickled(packed: bytes, threads: Optional[int]) -> Model:
    place = tempfile.mkdtemp()
    try:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(place, **_TRUSTED)
        model = load(os.path.join(place, "model"))
    finally:
        shutil.rmtree(place)

    def write(to: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(folder, **_TRUSTED)
            shutil.copytree(os.path.join(folder, "model"), to)

    model._write = write
    model.threads = threads
    return model


class Recommender:
    """A model to be trained.

        model = Recommender(MF(64), SSM(tau=0.1), initializer=PRISM(1.0)).fit(split)
        ids, scores = model.recommend(["42"], k=10)

    ranking: magnitudes from popularity when items are ranked; "auto": a power chosen on the validation
    set, where there is one, unless the loss compares by dot product, or a regularizer or PRISM gives
    magnitudes. seed: of all that is drawn. learning_rate, schedule: if None, they follow from the model,
    see docs/defaults.md. batch_size: pairs in a step. epochs: at most; 1000 if None. patience: epochs
    without a better validation before training stops; min_steps: before they count. validate_every:
    epochs from one validation to the next, by `metric` of lists of length k. threads: at most; all of
    them if None. verbose: shows progress.

    get_params(), set_params() and scikit-learn's clone() work as for its estimators.
    """

    def __init__(
        self,
        backbone: policies.Backbone = policies.MF(),
        loss: policies.Loss = policies.SSM(),
        *,
        penalty: Optional[policies.Penalty] = None,
        regularizer: Optional[policies.Regularizer] = None,
        initializer: policies.Initializer = policies.Xavier(),
        optimizer: policies.Optimizer = policies.Adam(),
        sampler: policies.Sampler = policies.UniformNegatives(),
        ranking: Union[None, Literal["auto"], Ranking] = "auto",
        seed: int = 123,
        learning_rate: Optional[float] = None,
        schedule: Optional[Literal["constant", "cosine", "plateau"]] = None,
        batch_size: int = 4096,
        epochs: Optional[int] = None,
        patience: int = 10,
        min_steps: int = 1000,
        validate_every: int = 1,
        metric: Literal["ndcg", "recall", "precision", "mrr", "hit_rate"] = "ndcg",
        k: int = 20,
        threads: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self.backbone = backbone
        self.loss = loss
        self.penalty = penalty
        self.regularizer = regularizer
        self.initializer = initializer
        self.optimizer = optimizer
        self.sampler = sampler
        self.ranking = ranking
        self.seed = seed
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.batch_size = batch_size
        self.epochs = epochs
        self.patience = patience
        self.min_steps = min_steps
        self.validate_every = validate_every
        self.metric = metric
        self.k = k
        self.threads = threads
        self.verbose = verbose

    # What scikit-learn asks of an estimator.

    @classmethod
    def _parameters(cls) -> List[str]:
        code = cls.__init__.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        return list(code.co_varnames[1:count])

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters by name; with deep, those of the policies too: "loss__tau"."""
        values = {name: getattr(self, name) for name in self._parameters()}
        if deep:
            for name, value in list(values.items()):
                if isinstance(value, (policies.Policy, Ranking)):
                    for field in dataclasses.fields(value):
                        values[f"{name}__{field.name}"] = getattr(value, field.name)
        return values

    def set_params(self, **params: Any) -> "Recommender":
        """Sets parameters; "loss__tau" sets an option of a policy."""
        known = self._parameters()
        # Policies first, then their options.
        for name, value in sorted(params.items(), key=lambda item: "__" in item[0]):
            own, _, option = name.partition("__")
            if own not in known:
                raise ValueError(f"there is no parameter {own!r}, but: {', '.join(known)}")
            if not option:
                setattr(self, own, value)
                continue
            part = getattr(self, own)
            fields = dataclasses.fields(part) if dataclasses.is_dataclass(part) else ()
            options = [field.name for field in fields]
            if option not in options:
                raise ValueError(f"{own} has no option {option!r}, but: {', '.join(options)}")
            setattr(self, own, dataclasses.replace(part, **{option: value}))
        return self

    def __repr__(self) -> str:
        defaults = Recommender()
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name in self._parameters()
            if getattr(self, name) != getattr(defaults, name)
        ]
        return f"Recommender({', '.join(changed)})"

    # Training.

    def fit(
        self,
        data: Union[Split, Interactions],
        *,
        on_epoch: Optional[OnEpoch] = None,
        checkpoint: Union[None, str, "os.PathLike[str]"] = None,
    ) -> "Recommender":
        """Trains on a split's training set until its validation set ranks no better.

        Interactions without a split are trained on for all of `epochs`, which must then be given.
        on_epoch is called after each epoch with its record; training stops if it returns True.
        checkpoint names a file that is written after each epoch, and from which training goes on if it
        exists. Ctrl-C ends training after a step: the model then has its best weights so far, and
        KeyboardInterrupt is raised. Raises ArithmeticError if training diverges.

        Afterwards `history_` has what happened, `model_` the trained Model.
        """
        split = _as_split(data)
        options = self._fit_options()
        if checkpoint is not None:
            options.set_checkpoint(os.fspath(checkpoint), 1)
        begin, batch, epoch = self._observed(on_epoch)
        # A loss of prismcf.compile() brings its models.
        loaded = getattr(self.loss, "loaded", None)
        make = _native.make_model if loaded is None else loaded.make
        with _native.Threads(self._threads()):
            native = make(self._spec(split), split.train._native)
            self.history_, interrupted, self._native_history = native.fit(
                _to_native(split), options, checkpoint is not None, begin, batch, epoch
            )
            self._take(native, split)
        if interrupted:
            raise KeyboardInterrupt
        for warning in self.history_["warnings"]:
            warnings.warn(warning, stacklevel=2)
        return self

    def retrain(self, split: Split, *, on_epoch: Optional[OnEpoch] = None) -> "Recommender":
        """A recommender trained on training and validation set together.

        For as many epochs as fit(split) found best, with its learning rate, schedule, and the power or
        alpha that it chose: to be used, or tested, with all data but the test set.
        """
        if not hasattr(self, "_native_history"):
            raise AttributeError("the model is not trained: call fit(split) first")
        again = copy.copy(self)
        begin, batch, epoch = self._observed(on_epoch)
        with _native.Threads(self._threads()):
            native, again.history_, interrupted = self._native_model.retrained(
                _to_native(split), self._native_history, self._fit_options(), begin, batch, epoch
            )
            again._take(native, split)
        if interrupted:
            raise KeyboardInterrupt
        return again

    def _observed(self, on_epoch: Optional[OnEpoch]) -> Tuple[Any, Any, Callable[[Any], bool]]:
        progress = Progress() if self.verbose else None

        def epoch(record: Mapping[str, Any]) -> bool:
            if progress is not None:
                progress.epoch(record)
            return bool(on_epoch(record)) if on_epoch is not None else False

        if progress is None:
            return None, None, epoch
        return progress.begin, progress.batch, epoch

    def _take(self, native: Any, split: Split) -> None:
        """Keeps a trained model."""
        integers = split.train._integers
        kinds = [name for name, whole in zip(("users", "items"), integers) if whole]
        notes = [(_INTEGERS, " ".join(kinds))] if kinds else []
        self._native_model = native
        self.model_ = Model(
            _native.Ranker.of_model(native),
            integers,
            lambda to: native.save(to, notes),
            self._threads(),
        )

    def _threads(self) -> Optional[int]:
        return None if self.threads is None else _whole("threads", self.threads, 1)

    def _spec(self, split: Split) -> Any:
        parts = {
            "backbone": self.backbone,
            "loss": self.loss,
            "penalty": self.penalty,
            "regularizer": self.regularizer,
            "initializer": self.initializer,
            "optimizer": self.optimizer,
            "sampler": self.sampler,
        }
        spec = _native.ModelSpec()
        for kind, policy in parts.items():
            if policy is None and kind in ("penalty", "regularizer"):
                continue
            if not isinstance(policy, policies.Policy) or policy.kind != kind:
                raise TypeError(f"{kind} must be a {kind} of prismcf, not {policy!r}")
            setattr(spec, kind, policy.policy_name())
            for name, value in policy.options():
                spec.set(name, _number(name, value, policy))
        spec.seed = _whole("seed", self.seed, 0)
        spec.dim = _whole("dim", self.backbone.dim, 1)
        spec.dropout = _real("dropout", self.backbone.dropout)
        spec.activation = getattr(self.backbone, "activation", "ReLU")
        ranking = self.ranking
        if ranking == "auto":
            loaded = getattr(self.loss, "loaded", None)
            by_cosine = (
                not isinstance(self.loss, (policies.BPR, policies.MACR, policies.UltraGCN))
                if loaded is None
                else not loaded.by_dot_product
            )
            free = self.regularizer is None and isinstance(self.initializer, policies.Xavier)
            validates = len(split.validation) > 0
            ranking = Ranking.power_by_validation() if by_cosine and free and validates else None
        if ranking is not None and not isinstance(ranking, Ranking):
            raise TypeError(f"ranking must be 'auto', a Ranking or None, not {ranking!r}")
        if ranking is not None:
            spec.ranking = ranking._to_native()
        return spec

    def _fit_options(self) -> Any:
        options = _native.FitOptions()
        if self.learning_rate is not None:
            options.learning_rate = _real("learning_rate", self.learning_rate)
        options.batch_size = _whole("batch_size", self.batch_size, 1)
        options.epochs = None if self.epochs is None else _whole("epochs", self.epochs, 1)
        options.patience = _whole("patience", self.patience, 1)
        options.min_steps = _whole("min_steps", self.min_steps, 0)
        options.validate_every = _whole("validate_every", self.validate_every, 1)
        options.k = _whole("k", self.k, 1)
        options.set_metric(str(self.metric))
        if self.schedule is not None:
            options.set_schedule(str(self.schedule))
        return options

    def _trained(self) -> Model:
        if not hasattr(self, "model_"):
            raise AttributeError("the model is not trained: call fit() first")
        return self.model_

    # What is asked goes to the trained model.

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """See Model.save."""
        self._trained().save(path)

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
        """See Model.recommend."""
        return self._trained().recommend(
            users, k, exclude_seen=exclude_seen, among=among, without=without,
            similarity=similarity, untrained=untrained,
        )  # fmt: skip

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
        """See Model.recommend_to_new."""
        return self._trained().recommend_to_new(
            histories, k, exclude_seen=exclude_seen, among=among, without=without,
            similarity=similarity,
        )  # fmt: skip

    def similar_items(
        self, items: IdSequence, k: int = 10, *, untrained: bool = False
    ) -> Tuple[IdArray, Scores]:
        """See Model.similar_items."""
        return self._trained().similar_items(items, k, untrained=untrained)

    def similar_users(
        self, users: IdSequence, k: int = 10, *, untrained: bool = False
    ) -> Tuple[IdArray, Scores]:
        """See Model.similar_users."""
        return self._trained().similar_users(users, k, untrained=untrained)

    def evaluate(
        self,
        relevant: Union[Split, Interactions],
        k: Optional[int] = None,
        *,
        exclude: Sequence[Interactions] = (),
        similarity: Literal["dot", "cosine"] = "dot",
    ) -> Report:
        """See Model.evaluate; k is by default that of training."""
        return self._trained().evaluate(
            relevant, self.k if k is None else k, exclude=exclude, similarity=similarity
        )

    @property
    def user_factors(self) -> Scores:
        return self._trained().user_factors

    @property
    def item_factors(self) -> Scores:
        return self._trained().item_factors

    # Pickled without what only retrain() needs.

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("_native_model", None)
        state.pop("_native_history", None)
        return state


# The argument of extractall() in the versions of Python that have it.
_TRUSTED: Dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}

_INTEGERS = "python integer ids"  # a note of a saved model


def _saved_integers(folder: str) -> Tuple[bool, bool]:
    notes = dict(_native.saved_description(folder))
    kinds = notes.get("note " + _INTEGERS, "").split()
    return "users" in kinds, "items" in kinds


def _read_only(view: Any) -> Scores:
    array = np.asarray(view)
    array.flags.writeable = False
    return array


def _whole(name: str, value: Any, least: int) -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, (bool, np.bool_)) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}")
    return int(value)


def _real(name: str, value: Any) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be a number, not {value!r}")
    return float(value)


def _by_cosine(similarity: str) -> bool:
    if similarity not in ("dot", "cosine"):
        raise ValueError(f"similarity must be 'dot' or 'cosine', not {similarity!r}")
    return similarity == "cosine"


def _number(name: str, value: Any, policy: policies.Policy) -> float:
    """An option as the library has it: an enumeration by its position."""
    if isinstance(value, numbers.Real):
        return float(value)
    for option, _, _, _, enumerators in _described(policy):
        choices = enumerators.split(", ")
        if option == name and value in choices:
            return float(choices.index(value))
        if option == name and enumerators:
            raise ValueError(f"{name} must be one of {enumerators}, not {value!r}")
    raise ValueError(f"{name} must be a number, not {value!r}")


def _described(policy: policies.Policy) -> Any:
    """The library's description of a policy's options."""
    loaded = getattr(policy, "loaded", None)
    if loaded is not None:
        return loaded.options
    for kind, name, options in _native.policies():
        if (kind, name) == (policy.kind, policy.policy_name()):
            return options
    return []


def _as_split(data: Any) -> Split:
    """Data without a split is all trained on."""
    if isinstance(data, tuple) and not isinstance(data, Split) and len(data) == 3:
        data = Split(*data)
    if isinstance(data, Split):
        return data
    _require_interactions(data, "data")
    empty = data._like(_native.empty_like(data._native))
    return Split(data, empty, empty)
