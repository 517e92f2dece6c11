# SPDX-License-Identifier: BSD-3-Clause
"""prismcf.implicit answers as implicit does, beside which it is tested where that is installed."""

import inspect
import warnings

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse")


@pytest.fixture(scope="module")
def matrix(split):
    return split.train.to_csr()


@pytest.fixture(scope="module")
def model(matrix):
    from prismcf.implicit import Recommender

    model = Recommender(factors=8, epochs=3, learning_rate=0.01, batch_size=256)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(matrix, show_progress=False)
    return model


def test_one_user_and_several(model, matrix):
    ids, scores = model.recommend(3, matrix[3], N=5)
    assert ids.shape == scores.shape == (5,)
    assert not set(ids) & set(matrix[3].indices)
    both, _ = model.recommend([3, 17], matrix[[3, 17]], N=5)
    assert np.array_equal(both[0], ids)
    products = model.user_factors[3] @ model.item_factors.T
    products[matrix[3].indices] = -np.inf
    assert set(ids) == set(np.argsort(-products)[:5])


def test_items_are_left_out_or_given(model, matrix):
    seen = matrix[3].indices
    with_seen, _ = model.recommend(3, matrix[3], N=90, filter_already_liked_items=False)
    assert set(seen) <= set(with_seen)
    first = model.recommend(3, matrix[3], N=1)[0][0]
    assert first not in model.recommend(3, matrix[3], N=20, filter_items=[first])[0]
    ids, scores = model.recommend(3, matrix[3], N=5, items=[1, 2], filter_already_liked_items=False)
    assert set(ids[:2]) == {1, 2} and (ids[2:] == -1).all() and np.isnan(scores[2:]).all()
    # The items of the matrix that is given count, not those of training.
    other = sparse.csr_matrix(([1.0], ([0], [first])), shape=(1, 90))
    assert first not in model.recommend(3, other, N=80)[0]
    assert set(seen) <= set(model.recommend(3, other, N=89)[0])
    with pytest.raises(ValueError, match="row for each of the 1 users"):
        model.recommend(3, matrix[[3, 4]])


def test_neighbours_begin_with_themselves(model):
    ids, cosines = model.similar_items(4, N=6)
    assert ids[0] == 4 and cosines[0] == 1 and len(ids) == 6
    assert (np.diff(cosines) <= 1e-6).all()
    users, _ = model.similar_users([3, 9], N=2)
    assert users.shape == (2, 2) and users[:, 0].tolist() == [3, 9]
    assert model.similar_items(4, N=3, items=[7, 8])[0].tolist()[2] == -1
    assert ids[1] not in model.similar_items(4, N=6, filter_items=[ids[1]])[0]


def test_a_user_is_recalculated_from_its_items(model, matrix):
    ids, _ = model.recommend(3, matrix[17], N=5, recalculate_user=True)
    again, _ = model.recommend(4, matrix[17], N=5, recalculate_user=True)
    assert np.array_equal(ids, again)
    assert not set(ids) & set(matrix[17].indices)


def test_saved_and_loaded(model, matrix, tmp_path):
    model.save(tmp_path / "model")
    loaded = type(model).load(tmp_path / "model")
    assert np.array_equal(loaded.recommend(3, matrix[3])[0], model.recommend(3, matrix[3])[0])


def test_stored_zeros_and_empty_filters(model, matrix):
    first = model.recommend(3, matrix[3], N=1)[0][0]
    zero = sparse.csr_matrix(([0.0], ([0], [first])), shape=(1, 90))
    assert first in model.recommend(3, zero, N=89)[0]
    assert np.array_equal(
        model.similar_items(4, N=5, filter_items=[])[0], model.similar_items(4, N=5)[0]
    )
    ids, scores = model.recommend(3, matrix[3], N=200, filter_already_liked_items=False)
    assert ids.shape == (200,) and (ids[90:] == -1).all() and np.isnan(scores[90:]).all()
    many, _ = model.recommend(np.arange(120), matrix, N=5)
    assert np.array_equal(many[3], model.recommend(3, matrix[3], N=5)[0])


def test_a_row_of_a_sparse_array(model, matrix):
    array = sparse.csr_array(matrix)
    assert np.array_equal(model.recommend(3, array[[3]])[0], model.recommend(3, matrix[3])[0])
    try:
        row = array[3]
    except (IndexError, NotImplementedError):
        return  # before SciPy had arrays of one dimension
    assert np.array_equal(model.recommend(3, row)[0], model.recommend(3, matrix[3])[0])


def test_arguments_are_those_of_implicit(model):
    base = pytest.importorskip("implicit.recommender_base").RecommenderBase
    for name in ("fit", "recommend", "similar_items", "similar_users"):
        theirs = list(inspect.signature(getattr(base, name)).parameters)
        ours = list(inspect.signature(getattr(type(model), name)).parameters)
        assert ours == theirs


def test_the_same_program_runs_with_implicit(model, matrix):
    als = pytest.importorskip("implicit.als")
    other = als.AlternatingLeastSquares(factors=8, iterations=2, num_threads=1)
    other.fit(matrix, show_progress=False)
    for one in (model, other):
        ids, scores = one.recommend(3, matrix[3], N=5)
        assert ids.dtype == np.int32 and scores.dtype == np.float32 and ids.shape == (5,)
        ids, scores = one.recommend(np.arange(4), matrix[:4], N=5)
        assert ids.shape == scores.shape == (4, 5)
        assert one.similar_items(4, N=3)[0][0] == 4
