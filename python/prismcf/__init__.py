# SPDX-License-Identifier: BSD-3-Clause
"""Collaborative filtering from implicit feedback: the models of the C++ library prism.

import prismcf as pr

data = pr.read("ratings.csv")
split = pr.random_split(data, validation=0.1, test=0.1, seed=123)
model = pr.Recommender(pr.MF(64), pr.SSM()).fit(split)
print(model.evaluate(split))
ids, scores = model.recommend(users, k=10)
"""

from ._load import module as _native
from ._load import variant
from .answers import Report
from .compile import CompileError, compile
from .data import (
    FILE_ORDER,
    NO_COLUMN,
    Interactions,
    from_arrow,
    from_csr,
    from_pairs,
    k_core,
    read,
    synthetic,
)
from .ids import Ids
from .model import Model
from .policies import (
    BPR,
    BSL,
    CCL,
    IPL,
    MACR,
    MAWU,
    MF,
    MLP,
    PRISM,
    PSL,
    SGD,
    SLK,
    SSM,
    Adam,
    AllInBatchNegatives,
    Backbone,
    BatchedWD,
    DenseAdam,
    DirectAU,
    FullWD,
    InBatchNegatives,
    Initializer,
    LightGCN,
    Loss,
    Optimizer,
    PartialRowWiseAdam,
    Penalty,
    Policy,
    PopularityNegatives,
    Regularizer,
    ReSN,
    Sampler,
    SharedInBatchNegatives,
    SharedPopularityNegatives,
    SharedUniformNegatives,
    SimpleX,
    UltraGCN,
    UniformNegatives,
    UnobservedNegatives,
    Xavier,
)
from .ranking import Ranking
from .recommender import Recommender
from .report import write_report
from .saved import load
from .splits import (
    Split,
    given_split,
    leave_last_out,
    random_split,
    temporal_global_split,
    temporal_user_split,
)
from .tuning import Tried, tune

__version__: str = _native.version
instruction_set: str = _native.instruction_set

__all__ = [
    "Adam",
    "AllInBatchNegatives",
    "BPR",
    "BSL",
    "Backbone",
    "BatchedWD",
    "CCL",
    "CompileError",
    "DenseAdam",
    "DirectAU",
    "FILE_ORDER",
    "FullWD",
    "IPL",
    "Ids",
    "InBatchNegatives",
    "Initializer",
    "Interactions",
    "LightGCN",
    "Loss",
    "MACR",
    "MAWU",
    "MF",
    "MLP",
    "Model",
    "NO_COLUMN",
    "Optimizer",
    "PRISM",
    "PSL",
    "PartialRowWiseAdam",
    "Penalty",
    "Policy",
    "PopularityNegatives",
    "Ranking",
    "ReSN",
    "Recommender",
    "Regularizer",
    "Report",
    "SGD",
    "SLK",
    "SSM",
    "Sampler",
    "SharedInBatchNegatives",
    "SharedPopularityNegatives",
    "SharedUniformNegatives",
    "SimpleX",
    "Split",
    "Tried",
    "UltraGCN",
    "UniformNegatives",
    "UnobservedNegatives",
    "Xavier",
    "compile",
    "from_arrow",
    "from_csr",
    "from_pairs",
    "given_split",
    "instruction_set",
    "k_core",
    "leave_last_out",
    "load",
    "random_split",
    "read",
    "synthetic",
    "temporal_global_split",
    "temporal_user_split",
    "tune",
    "variant",
    "write_report",
]
