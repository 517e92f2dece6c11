# SPDX-License-Identifier: BSD-3-Clause
import pytest

import prismcf as pr


@pytest.fixture(scope="session")
def split():
    return pr.random_split(pr.synthetic(users=120, items=90, interactions_per_user=12))


@pytest.fixture(scope="session")
def trained(split):
    model = pr.Recommender(pr.MF(8), pr.SSM(), learning_rate=0.01, batch_size=256, epochs=4)
    return quiet_fit(model, split)


def quiet_fit(model, split, **arguments):
    """A short training that cannot have learnt warns of it."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(split, **arguments)
