# SPDX-License-Identifier: BSD-3-Clause
"""Models: chosen by their parts, trained, asked for lists, saved."""

from __future__ import annotations

import dataclasses
import io
import os
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import policies
from ._load import module as _native
from .data import IdArray, IdSequence, Interactions, Rows, Split, _to_native

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
            if isinstance(value, (int, float)):
                setattr(native, name, float(value))
            elif value is not None:
                setattr(native, name + "s", [float(one) for one in value])
        native.exponent = self.exponent
        return native


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

    def __init__(self, ranker: Any, integers: Tuple[bool, bool] = (False, False)) -> None:
        self._ranker = ranker
        self._train = Interactions(ranker.train, integers)
        self._integers = integers

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

    def with_ranking(self, ranking: Ranking) -> "Model":
        """The model with other magnitudes, for example a larger power for more popular items."""
        return Model(self._ranker.with_ranking(ranking._to_native()), self._integers)

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
        threads: Optional[int] = None,
    ) -> Tuple[IdArray, Scores]:
        """The k best items for each user; for all users, in the order of train.user_ids, if None.

        A user without an interaction in training gets the most popular items, scored by their numbers
        of users; with untrained="rows" what its initial row gives; with "raise" there is a ValueError.
        Raises KeyError for an id that the model does not have.

        Returns ids (users x k) and scores (users x k, float32).
        """
        rows = (
            np.arange(self._train.n_users, dtype=np.uint32)
            if users is None
            else self._train.rows_of_users(_sequence(users))
        )
        if untrained == "raise":
            without_history = np.flatnonzero(self._train.user_degree[rows] == 0)
            if without_history.size:
                first = self._train.user_ids.of(rows[without_history[:1]])[0]
                raise ValueError(
                    f"{without_history.size} users have no interaction in training, such as {first!r}"
                )
        with _native.Threads(threads):
            items, scores = self._ranker.recommend(
                rows, k, _by_cosine(similarity), exclude_seen, self._items(among),
                self._items(without), untrained == "rows",
            )  # fmt: skip
        return self._train.item_ids.of(np.asarray(items)), np.asarray(scores)

    def recommend_to_new(
        self,
        histories: Sequence[IdSequence],
        k: int = 10,
        *,
        exclude_seen: bool = True,
        among: Optional[IdSequence] = None,
        without: Optional[IdSequence] = None,
        similarity: Literal["dot", "cosine"] = "dot",
    ) -> Tuple[IdArray, Scores]:
        """The k best items for users who came after training, from the items of each.

        Items that the model does not have are passed over; a user without any other gets the most
        popular ones.
        """
        native = self._train._native
        known = []
        for history in histories:
            rows = np.asarray(native.item_rows([str(one) for one in _sequence(history)]))
            known.append(np.ascontiguousarray(rows[rows != _native.absent]))
        items, scores = self._ranker.recommend_to_new(
            _native.with_items_of(native, known), k, _by_cosine(similarity), exclude_seen,
            self._items(among), self._items(without),
        )  # fmt: skip
        return self._train.item_ids.of(np.asarray(items)), np.asarray(scores)

    def similar_items(
        self, items: IdSequence, k: int = 10, *, untrained: bool = False
    ) -> Tuple[IdArray, Scores]:
        """The k items most similar to each item, by cosine; without those that training never saw."""
        rows = self._train.rows_of_items(_sequence(items))
        found, scores = self._ranker.similar(rows, k, False, untrained)
        return self._train.item_ids.of(np.asarray(found)), np.asarray(scores)

    def similar_users(
        self, users: IdSequence, k: int = 10, *, untrained: bool = False
    ) -> Tuple[IdArray, Scores]:
        """The k users most similar to each user, by cosine; without those that training never saw."""
        rows = self._train.rows_of_users(_sequence(users))
        found, scores = self._ranker.similar(rows, k, True, untrained)
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
        """
        left_out = [self._train, *exclude]
        if isinstance(relevant, Split):
            left_out += [relevant.train, relevant.validation]
            relevant = relevant.test
        natives = [part._native for part in left_out]
        return Report(
            **self._ranker.evaluate(relevant._native, k, natives, _by_cosine(similarity))
        )

    def _items(self, ids: Optional[IdSequence]) -> Optional[Rows]:
        return None if ids is None else self._train.rows_of_items(_sequence(ids))


def load(path: Union[str, "os.PathLike[str]"]) -> Model:
    """A model that Recommender.save(), or C++'s save_model(), has written."""
    folder = os.fspath(path)
    return Model(_native.Ranker.load(folder), _saved_integers(folder))


class Recommender:
    """A model to be trained.

        model = Recommender(MF(64), SSM(tau=0.1), initializer=PRISM(1.0)).fit(split)
        ids, scores = model.recommend(["42"], k=10)

    ranking: magnitudes from popularity when items are ranked; "auto": a power chosen on the validation
    set, where there is one, unless the loss compares by dot product, or a regularizer or PRISM gives
    magnitudes. learning_rate, schedule: if None, they follow from the model, see FitOptions of the C++
    library. Parameters are those of scikit-learn's estimators: get_params(), set_params(), clone().
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
        for name, value in params.items():
            own, _, option = name.partition("__")
            if own not in known:
                raise ValueError(f"there is no parameter {own!r}, but: {', '.join(known)}")
            if not option:
                setattr(self, own, value)
                continue
            part = getattr(self, own)
            options = [field.name for field in dataclasses.fields(part)] if part is not None else []
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
        split = data if isinstance(data, Split) else _only_training(data)
        options = self._fit_options()
        if checkpoint is not None:
            options.set_checkpoint(os.fspath(checkpoint), 1)
        progress = Progress() if self.verbose else None

        def each_epoch(record: Mapping[str, Any]) -> bool:
            if progress is not None:
                progress.epoch(record)
            return bool(on_epoch(record)) if on_epoch is not None else False

        with _native.Threads(self.threads):
            # A loss of prismcf.compile() brings its models.
            make = getattr(self.loss, "loaded", None)
            native = (_native.make_model if make is None else make.make)(
                self._spec(split), split.train._native
            )
            self.history_, interrupted = native.fit(
                _to_native(split), options, checkpoint is not None,
                None if progress is None else progress.begin,
                None if progress is None else progress.batch,
                each_epoch,
            )  # fmt: skip
            self._native_model = native
            self.model_ = Model(_native.Ranker.of_model(native), split.train._integers)
        if interrupted:
            raise KeyboardInterrupt
        for warning in self.history_["warnings"]:
            import warnings

            warnings.warn(warning, stacklevel=2)
        return self

    def _spec(self, split: Split) -> Any:
        spec = _native.ModelSpec()
        spec.seed = self.seed
        spec.dim = self.backbone.dim
        spec.dropout = self.backbone.dropout
        spec.activation = getattr(self.backbone, "activation", "ReLU")
        parts = {
            "backbone": self.backbone,
            "loss": self.loss,
            "penalty": self.penalty,
            "regularizer": self.regularizer,
            "initializer": self.initializer,
            "optimizer": self.optimizer,
            "sampler": self.sampler,
        }
        for kind, policy in parts.items():
            if policy is None:
                continue
            if not isinstance(policy, policies.Policy) or policy.kind != kind:
                raise TypeError(f"{kind} must be a {kind} of prismcf, not {policy!r}")
            setattr(spec, kind, policy.policy_name())
            for name, value in policy.options():
                spec.set(name, _number(name, value, policy))
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
        if isinstance(ranking, Ranking):
            spec.ranking = ranking._to_native()
        return spec

    def _fit_options(self) -> Any:
        options = _native.FitOptions()
        options.learning_rate = self.learning_rate
        options.batch_size = self.batch_size
        options.epochs = self.epochs
        options.patience = self.patience
        options.min_steps = self.min_steps
        options.validate_every = self.validate_every
        options.k = self.k
        options.set_metric(self.metric)
        if self.schedule is not None:
            options.set_schedule(self.schedule)
        return options

    def _trained(self) -> Model:
        if not hasattr(self, "model_"):
            raise AttributeError("the model is not trained: call fit() first")
        return self.model_

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model into a folder, for load() and for the C++ library and its programs."""
        trained = self._trained()
        if not hasattr(self, "_native_model"):
            raise ValueError("a model that was unpickled cannot be saved: save it before pickling")
        kinds = [name for name, whole in zip(("users", "items"), trained._integers) if whole]
        self._native_model.save(os.fspath(path), [(_INTEGERS, " ".join(kinds))] if kinds else [])

    # Questions go to the trained model.

    def recommend(self, *args: Any, **kwargs: Any) -> Tuple[IdArray, Scores]:
        """See Model.recommend."""
        return self._trained().recommend(*args, **kwargs)

    def recommend_to_new(self, *args: Any, **kwargs: Any) -> Tuple[IdArray, Scores]:
        """See Model.recommend_to_new."""
        return self._trained().recommend_to_new(*args, **kwargs)

    def similar_items(self, *args: Any, **kwargs: Any) -> Tuple[IdArray, Scores]:
        """See Model.similar_items."""
        return self._trained().similar_items(*args, **kwargs)

    def similar_users(self, *args: Any, **kwargs: Any) -> Tuple[IdArray, Scores]:
        """See Model.similar_users."""
        return self._trained().similar_users(*args, **kwargs)

    def evaluate(self, *args: Any, **kwargs: Any) -> Report:
        """See Model.evaluate."""
        return self._trained().evaluate(*args, **kwargs)

    @property
    def user_factors(self) -> Scores:
        return self._trained().user_factors

    @property
    def item_factors(self) -> Scores:
        return self._trained().item_factors

    # Pickled with the files of a saved model.

    def __getstate__(self) -> Dict[str, Any]:
        state = {name: getattr(self, name) for name in self._parameters()}
        if hasattr(self, "model_"):
            state["history_"] = self.history_
            state["_files"] = self._files if not hasattr(self, "_native_model") else self._packed()
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        files = state.pop("_files", None)
        self.__dict__.update(state)
        if files is not None:
            self._files = files
            with tempfile.TemporaryDirectory() as folder:
                with tarfile.open(fileobj=io.BytesIO(files)) as archive:
                    archive.extractall(folder, **_TRUSTED)
                self.model_ = load(os.path.join(folder, "model"))

    def _packed(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            self.save(path)
            bytes_ = io.BytesIO()
            with tarfile.open(fileobj=bytes_, mode="w") as archive:
                archive.add(path, "model")
            return bytes_.getvalue()


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


def _sequence(ids: Any) -> Sequence[Any]:
    """A sequence of ids; one id by itself is an error that would otherwise be taken letter by letter."""
    if isinstance(ids, (str, bytes)) or np.ndim(ids) == 0:
        raise TypeError(f"must be a sequence of ids, such as [{ids!r}], not one id")
    return ids.tolist() if hasattr(ids, "tolist") else list(ids)


def _by_cosine(similarity: str) -> bool:
    if similarity not in ("dot", "cosine"):
        raise ValueError(f"similarity must be 'dot' or 'cosine', not {similarity!r}")
    return similarity == "cosine"


def _number(name: str, value: Any, policy: policies.Policy) -> float:
    """An option as the library has it: an enumeration by its position."""
    if not isinstance(value, str):
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


def _only_training(data: Interactions) -> Split:
    empty = data._like(_native.empty_like(data._native))
    return Split(data, empty, empty)
