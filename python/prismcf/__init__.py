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
from .compile import CompileError, compile
from .data import (
    Ids,
    Interactions,
    Split,
    from_arrow,
    from_csr,
    from_pairs,
    given_split,
    k_core,
    leave_last_out,
    random_split,
    read,
    synthetic,
    temporal_global_split,
    temporal_user_split,
)
from .policies import *  # noqa: F401,F403
from .policies import __all__ as _policies
from .recommender import Model, Ranking, Recommender, Report, load

__version__: str = _native.version
instruction_set: str = _native.instruction_set

__all__ = [
    "CompileError",
    "Ids",
    "Interactions",
    "Model",
    "Ranking",
    "Recommender",
    "Report",
    "Split",
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
    "variant",
    *_policies,
]
