# SPDX-License-Identifier: BSD-3-Clause
"""The dataclasses are the policies of the library."""

import dataclasses

import pytest
from conftest import quiet_fit

import prismcf as pr
from prismcf import policies
from prismcf._load import module as native


def test_policies_and_their_options_are_those_of_the_library():
    library = {(kind, name): options for kind, name, options in native.policies()}
    library.pop(("regularizer", "None"))  # Python's None
    for name in ("Cosine", "Dot", "Euclidean"):  # the theorem's, which are no losses to train with
        library.pop(("loss", name))
    assert {(policy.kind, policy.policy_name()) for policy in policies.POLICIES} == set(library)
    for policy in policies.POLICIES:
        expected = {}
        for name, kind, default, _, enumerators in library[policy.kind, policy.policy_name()]:
            if kind == "str":
                expected[name] = enumerators.split(", ")[int(default)]
            else:
                expected[name] = {"bool": bool, "int": int, "float": float}[kind](default)
        found = dict(policy().options())
        assert found == expected
        assert {name: type(value) for name, value in found.items()} == {
            name: type(value) for name, value in expected.items()
        }


@pytest.mark.parametrize("policy", policies.POLICIES, ids=lambda policy: policy.__name__)
def test_every_policy_trains(split, policy):
    parts = {policy.kind: policy()}
    if policy.kind == "backbone":
        parts["backbone"] = policy(dim=4)
    parts = {"backbone": pr.MF(4), "loss": pr.BPR(), **parts}
    model = quiet_fit(pr.Recommender(**parts, learning_rate=0.01, epochs=1), split)
    unnamed = (pr.Adam, pr.UniformNegatives)  # a model's name leaves these out
    assert policy in unnamed or policy.__name__ in model.model_.name


def test_policies_are_values():
    assert pr.SSM(tau=0.1) == pr.SSM(tau=0.1) != pr.SSM()
    assert hash(pr.MF(32)) == hash(pr.MF(32))
    with pytest.raises(dataclasses.FrozenInstanceError):
        pr.SSM().tau = 1


@pytest.mark.parametrize(
    "loss, words",
    [
        (pr.SSM(tau=0), "from 1e-6 to 1e6"),
        (pr.SSM(negatives=0), "at least 1"),
        (pr.SSM(negatives=2.5), "integer"),
        (pr.PSL(surrogate="exp"), "tanh, atan, relu"),
        (pr.DirectAU(gamma=-1), "at least 0"),
        (pr.SSM(tau="warm"), "must be a number"),
    ],
)
def test_an_option_outside_its_domain_is_a_value_error(split, loss, words):
    with pytest.raises(ValueError, match=words):
        pr.Recommender(pr.MF(4), loss, epochs=1).fit(split)


def test_a_policy_of_another_kind_is_a_type_error(split):
    with pytest.raises(TypeError, match="loss must be a loss"):
        pr.Recommender(pr.MF(4), pr.MF(4)).fit(split)
    with pytest.raises(TypeError, match="sampler must be a sampler"):
        pr.Recommender(sampler="uniform").fit(split)
