# SPDX-License-Identifier: BSD-3-Clause
"""Models to be trained, chosen by their parts."""

from __future__ import annotations

import copy
import dataclasses
import os
import tempfile
import warnings
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Tuple, Union

from . import policies
from ._check import real, whole
from ._load import module as _native
from ._options import number_of
from .answers import Answers
from .data import Interactions, require_interactions
from .model import Model
from .progress import Progress
from .ranking import Ranking
from .saved import INTEGERS
from .splits import Split, to_native

OnEpoch = Callable[[Mapping[str, Any]], Optional[bool]]


class Recommender(Answers):
    """A model to be trained.

        model = Recommender(MF(64), SSM(tau=0.1), initializer=PRISM(1.0)).fit(split)
        ids, scores = model.recommend(["42"], k=10)

    ranking: magnitudes from popularity when items are ranked; "auto": a power chosen on the validation
    set, where there is one, unless the loss compares by dot product, or a regularizer or PRISM gives
    magnitudes. seed: of all that is drawn. learning_rate, schedule: if None, they follow from the model,
    see docs/explanation/defaults.md. batch_size: pairs in a step. epochs: at most; 1000 if None. patience: epochs
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
        warm_start: Union[None, str, "os.PathLike[str]", Answers] = None,
        on_epoch: Optional[OnEpoch] = None,
        checkpoint: Union[None, str, "os.PathLike[str]"] = None,
    ) -> "Recommender":
        """Trains on a split's training set until its validation set ranks no better.

        Interactions without a split are trained on for all of `epochs`, which must then be given.
        warm_start: a trained recommender or model, or the folder of a saved one, with the same backbone,
        loss and dimension, of earlier data: users and items that it knows, by their ids, begin with its
        rows.
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
        with _native.Threads(self._threads()):
            native = self._made(split)
            if warm_start is not None:
                _warm_start(native, warm_start)
            self.history_, interrupted, history = native.fit(
                to_native(split), options, checkpoint is not None, begin, batch, epoch
            )
            self._fitted = history, options
            self._take(native, split)
        if interrupted:
            raise KeyboardInterrupt
        for warning in self.history_["warnings"]:
            warnings.warn(warning, stacklevel=2)
        return self

    def check(self, split: Split) -> None:
        """Raises the ValueError or TypeError that fit(split) would, before it trains."""
        self._fit_options()
        self._threads()
        self._made(_as_split(split))

    def retrain(self, split: Split, *, on_epoch: Optional[OnEpoch] = None) -> "Recommender":
        """A recommender trained on training and validation set together.

        For as many epochs as fit(split) found best, with its learning rate, schedule, and the power or
        alpha that it chose: to be used, or tested, with all data but the test set.
        """
        if not hasattr(self, "_fitted"):
            self._trained()
            raise AttributeError(
                "retrain() needs the recommender that fit() has trained in this process, not a copy, "
                "nor one that was unpickled or retrained"
            )
        history, fitted_options = self._fitted
        again = copy.copy(self)
        begin, batch, epoch = self._observed(on_epoch)
        with _native.Threads(self._threads()):
            native, again.history_, interrupted = self._native_model.retrained(
                to_native(split), history, fitted_options, begin, batch, epoch
            )
            again._take(native, split)
        if interrupted:
            raise KeyboardInterrupt
        return again

    def _made(self, split: Split) -> Any:
        """The untrained model. A loss of prismcf.compile() brings its models."""
        loaded = getattr(self.loss, "loaded", None)
        make = _native.make_model if loaded is None else loaded.make
        return make(self._spec(split), split.train._native)

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
        notes = [(INTEGERS, " ".join(kinds))] if kinds else []
        self._native_model = native
        self.model_ = Model(
            _native.Ranker.of_model(native),
            integers,
            lambda to: native.save(to, notes),
            self._threads(),
        )

    def _threads(self) -> Optional[int]:
        return None if self.threads is None else whole("threads", self.threads, 1)

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
                spec.set(name, number_of(name, value, policy))
        spec.seed = whole("seed", self.seed, 0)
        spec.dim = whole("dim", self.backbone.dim, 1)
        spec.dropout = real("dropout", self.backbone.dropout)
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
            options.learning_rate = real("learning_rate", self.learning_rate)
        options.batch_size = whole("batch_size", self.batch_size, 1)
        options.epochs = None if self.epochs is None else whole("epochs", self.epochs, 1)
        options.patience = whole("patience", self.patience, 1)
        options.min_steps = whole("min_steps", self.min_steps, 0)
        options.validate_every = whole("validate_every", self.validate_every, 1)
        options.k = whole("k", self.k, 1)
        options.set_metric(str(self.metric))
        if self.schedule is not None:
            options.set_schedule(str(self.schedule))
        return options

    def _trained(self) -> Model:
        if not hasattr(self, "model_"):
            raise AttributeError("the model is not trained: call fit() first")
        return self.model_

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """See Model.save."""
        self._trained().save(path)

    @property
    def _ranker(self) -> Any:
        return self._trained()._ranker

    @property
    def _train(self) -> Interactions:
        return self._trained()._train

    @property
    def _length(self) -> int:
        return self.k

    # Pickled without what only retrain() needs.

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("_native_model", None)
        state.pop("_fitted", None)
        return state


def _warm_start(native: Any, earlier: Union[str, "os.PathLike[str]", Answers]) -> None:
    if isinstance(earlier, (str, os.PathLike)):
        native.warm_start(os.fspath(earlier))
        return
    if not isinstance(earlier, (Recommender, Model)):
        raise TypeError(
            f"warm_start must be a Recommender, a Model or the folder of one, not {earlier!r}"
        )
    with tempfile.TemporaryDirectory() as folder:
        earlier.save(os.path.join(folder, "model"))
        native.warm_start(os.path.join(folder, "model"))


def _as_split(data: Any) -> Split:
    """Data without a split is all trained on."""
    if isinstance(data, tuple) and not isinstance(data, Split) and len(data) == 3:
        data = Split(*data)
    if isinstance(data, Split):
        return data
    require_interactions(data, "data")
    empty = data._like(_native.empty_like(data._native))
    return Split(data, empty, empty)
