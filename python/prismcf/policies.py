# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a model: frozen dataclasses with the options of prism's policies.

The options, their names and defaults are those of the C++ library (a test compares them). A value
outside an option's domain is a ValueError when the model is made.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Iterator, Literal, Tuple, Union

OptionValue = Union[float, int, bool, str]


@dataclass(frozen=True)
class Policy:
    """A part of a model."""

    kind: ClassVar[str]

    @classmethod
    def policy_name(cls) -> str:
        """Its name in the C++ library."""
        return cls.__name__

    def options(self) -> Iterator[Tuple[str, OptionValue]]:
        """The options as (name, value): ("loss.tau", 0.2)."""
        for field in dataclasses.fields(self):
            if self.kind != "backbone" or field.name not in _NOT_OPTIONS:
                yield f"{self.kind}.{field.name.rstrip('_')}", getattr(self, field.name)


# What a ModelSpec has members for.
_NOT_OPTIONS = ("dim", "dropout", "activation")


@dataclass(frozen=True)
class Backbone(Policy):
    """Maps the embeddings of users and items to the rows that are compared."""

    kind: ClassVar[str] = "backbone"
    dim: int = 64
    """Of the embeddings."""
    dropout: float = 0.0
    """Rate at which numbers of the rows are dropped in training, from 0 to 0.999."""


@dataclass(frozen=True)
class MF(Backbone):
    """Matrix factorisation: the embeddings themselves."""


@dataclass(frozen=True)
class MLP(Backbone):
    """Two linear layers on each side."""

    activation: Literal["ReLU", "Identity"] = "ReLU"
    """Between the layers."""


@dataclass(frozen=True)
class LightGCN(Backbone):
    """The mean of three rounds of propagation over the training graph (He et al., SIGIR 2020)."""


@dataclass(frozen=True)
class SimpleX(Backbone):
    """A user's row and the mean of the items of its history (Mao et al., CIKM 2021)."""

    own_weight: float = 0.5
    """Of the user's own row, from 0 to 1."""


@dataclass(frozen=True)
class Loss(Policy):
    """What training minimises: a mean over the pairs of a batch."""

    kind: ClassVar[str] = "loss"


@dataclass(frozen=True)
class BPR(Loss):
    """Bayesian personalised ranking, by dot product (Rendle et al., UAI 2009)."""

    negatives: int = 1


@dataclass(frozen=True)
class SSM(Loss):
    """Sampled softmax, by cosine (Wu et al., TOIS 2024)."""

    negatives: int = 10
    tau: float = 0.2
    """Temperature."""
    log_q: bool = False
    """Corrects for a sampler that draws items with unequal probabilities."""


@dataclass(frozen=True)
class DirectAU(Loss):
    """Alignment and uniformity on the unit sphere (Wang et al., KDD 2022)."""

    gamma: float = 1.0
    """Weight of the uniformity."""
    duplicates: bool = False


@dataclass(frozen=True)
class MAWU(Loss):
    """Margin-aware alignment and weighted uniformity (Park et al., CIKM 2023)."""

    gamma1: float = 0.2
    """Weight of the users' uniformity."""
    gamma2: float = 0.2
    """Weight of the items' uniformity."""
    pair_mean: Literal["strict", "full_matrix"] = "full_matrix"
    broadcast: bool = False


@dataclass(frozen=True)
class MACR(Loss):
    """Counterfactual reasoning about popularity (Wei et al., KDD 2021)."""

    negatives: int = 1
    alpha: float = 1e-3
    beta: float = 1e-3
    c: float = 1.0
    """Reference score, subtracted in ranking."""


@dataclass(frozen=True)
class BSL(Loss):
    """Bilateral softmax loss (Wu et al., ICDE 2024)."""

    negatives: int = 800
    tau1: float = 0.1
    tau2: float = 0.1
    power: float = 1.0
    average_positives: bool = True


@dataclass(frozen=True)
class PSL(Loss):
    """Pairwise softmax loss (Yang et al., NeurIPS 2024)."""

    negatives: int = 1000
    tau: float = 0.1
    surrogate: Literal["tanh", "atan", "relu"] = "tanh"


@dataclass(frozen=True)
class SLK(Loss):
    """Softmax loss at K (Yang et al., KDD 2025)."""

    negatives: int = 1000
    k: int = 20
    tau_d: float = 0.1
    tau_w: float = 2.25
    constant_weight: bool = False
    quantile_negatives: int = 1000
    refresh_epochs: int = 20


@dataclass(frozen=True)
class CCL(Loss):
    """Cosine contrastive loss (Mao et al., CIKM 2021)."""

    negatives: int = 800
    margin: float = 0.9
    weight: float = 150.0


@dataclass(frozen=True)
class UltraGCN(Loss):
    """The loss that stands for infinitely many layers of LightGCN (Mao et al., CIKM 2021)."""

    negatives: int = 1500
    weight: float = 300.0
    w1: float = 1e-6
    w2: float = 1.0
    w3: float = 1e-6
    w4: float = 1.0


@dataclass(frozen=True)
class Penalty(Policy):
    """Added to a loss, against popularity's influence."""

    kind: ClassVar[str] = "penalty"


@dataclass(frozen=True)
class IPL(Penalty):
    """Interaction-wise popularity loss."""

    weight: float = 0.1
    gamma: float = 1.285
    sums: Literal["training", "batch", "batch_unsorted"] = "training"


@dataclass(frozen=True)
class ReSN(Penalty):
    """Regularisation by the spectral norm of the scores."""

    weight: float = 1e-6


@dataclass(frozen=True)
class Regularizer(Policy):
    """Which rows decay in a step."""

    kind: ClassVar[str] = "regularizer"


@dataclass(frozen=True)
class BatchedWD(Regularizer):
    """Weight decay of the batch's rows."""

    lambda_: float = 1e-6


@dataclass(frozen=True)
class FullWD(Regularizer):
    """Weight decay of all parameters."""

    lambda_: float = 1e-6


@dataclass(frozen=True)
class Initializer(Policy):
    """The embeddings before training."""

    kind: ClassVar[str] = "initializer"


@dataclass(frozen=True)
class Xavier(Initializer):
    """Uniform, small."""


@dataclass(frozen=True)
class PRISM(Initializer):
    """A random direction with the magnitude alpha * log(popularity + 2) + 1 - alpha (KDD 2025)."""

    alpha: float = 1.0
    scale: float = 1.0


@dataclass(frozen=True)
class Optimizer(Policy):
    """How a gradient changes the parameters."""

    kind: ClassVar[str] = "optimizer"


@dataclass(frozen=True)
class Adam(Optimizer):
    """Adam, every row in every step, computed when a row is needed."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8


@dataclass(frozen=True)
class DenseAdam(Adam):
    """Adam, computed for every row in every step."""


@dataclass(frozen=True)
class PartialRowWiseAdam(Adam):
    """Adam with one second moment for each row, of which only the batch's rows step."""


@dataclass(frozen=True)
class SGD(Optimizer):
    """Gradient descent."""


@dataclass(frozen=True)
class Sampler(Policy):
    """How the negatives of a pair are drawn."""

    kind: ClassVar[str] = "sampler"


@dataclass(frozen=True)
class UniformNegatives(Sampler):
    """Uniformly among all items."""


@dataclass(frozen=True)
class UnobservedNegatives(Sampler):
    """Uniformly among the items without an interaction of the user."""


@dataclass(frozen=True)
class InBatchNegatives(Sampler):
    """Uniformly among the items of the batch."""


@dataclass(frozen=True)
class PopularityNegatives(Sampler):
    """In proportion to a power of popularity."""

    power: float = 0.75


Mask = Literal["none", "own_item", "seen_items"]


@dataclass(frozen=True)
class SharedUniformNegatives(Sampler):
    """As UniformNegatives, once for all pairs of a batch."""

    mask: Mask = "own_item"
    """Which of them do not count for a pair."""


@dataclass(frozen=True)
class SharedPopularityNegatives(Sampler):
    """As PopularityNegatives, once for all pairs of a batch."""

    mask: Mask = "own_item"
    power: float = 0.75


@dataclass(frozen=True)
class SharedInBatchNegatives(Sampler):
    """As InBatchNegatives, once for all pairs of a batch."""

    mask: Mask = "own_item"


@dataclass(frozen=True)
class AllInBatchNegatives(Sampler):
    """All items of the batch."""

    mask: Mask = "own_item"


POLICIES = (
    MF, MLP, LightGCN, SimpleX,
    BPR, SSM, DirectAU, MAWU, MACR, BSL, PSL, SLK, CCL, UltraGCN,
    IPL, ReSN,
    BatchedWD, FullWD,
    Xavier, PRISM,
    Adam, DenseAdam, PartialRowWiseAdam, SGD,
    UniformNegatives, UnobservedNegatives, InBatchNegatives, PopularityNegatives,
    SharedUniformNegatives, SharedPopularityNegatives, SharedInBatchNegatives, AllInBatchNegatives,
)  # fmt: skip
