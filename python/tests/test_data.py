# SPDX-License-Identifier: BSD-3-Clause
"""Interactions come in with their ids, and are split."""

import numpy as np
import prismcf as pr
import pytest


def test_a_file_is_read_with_its_ids(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("user_id,item_id,rating\nann,red,5\nann,blue,2\nann,green,4\nbob,red,4\n")
    data = pr.read(file)
    assert (data.n_users, data.n_items, len(data)) == (2, 3, 4)
    assert list(data.user_ids.array) == ["ann", "bob"]
    assert "columns separated by ','" in data.summary
    assert len(pr.read(file, min_rating=4)) == 3
    users, items = data.pairs()
    assert users.tolist() == [0, 0, 0, 1] and items.tolist() == [0, 1, 2, 0]
    assert data.item_degree.tolist() == [2, 1, 1]


def test_errors_of_files_name_the_line(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("user_id,item_id\nann,red\nbob\n")
    with pytest.raises(OSError, match=r"ratings.csv:3: "):
        pr.read(file)
    with pytest.raises(OSError, match="no_such_file"):
        pr.read(tmp_path / "no_such_file")
    with pytest.raises(ValueError, match="format"):
        pr.read(file, format="tables")


def test_pairs_of_integers_and_of_text():
    data = pr.from_pairs([7, 7, 3], ["a", "b", "a"], times=[1, 2, 3])
    assert data.user_ids.array.tolist() == [7, 3]
    assert data.user_ids.array.dtype == np.int64
    assert data.item_ids.array.tolist() == ["a", "b"]
    assert data.rows_of_users([3]).tolist() == [1]
    with pytest.raises(KeyError, match="no user 9, 8"):
        data.rows_of_users([9, 8])
    with pytest.raises(ValueError, match="an item for each of the 2 users"):
        pr.from_pairs([1, 2], [1])


def test_a_sparse_matrix_goes_in_and_comes_out():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix(np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0]], dtype=np.float32))
    data = pr.from_csr(matrix)
    assert (data.n_users, data.n_items, len(data)) == (3, 3, 3)
    assert (data.to_csr().toarray() == (matrix.toarray() != 0)).all()
    assert data.user_ids.array.tolist() == [0, 1, 2]


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames_come_in_by_arrow(library):
    module = pytest.importorskip(library)
    columns = {"user_id": [5, 5, 9], "item_id": ["x", "y", "x"], "rating": [1.0, 5.0, 4.0]}
    if library == "pandas":
        pytest.importorskip("pyarrow")
    make = module.table if library == "pyarrow" else module.DataFrame
    frame = make(columns)
    data = pr.from_arrow(frame)
    assert data.user_ids.array.tolist() == [5, 9]
    assert data.item_ids.array.tolist() == ["x", "y"]
    assert len(pr.from_arrow(frame, min_rating=4)) == 2
    texts = {"user_id": ["12", "7"], "item_id": [1, 2]}
    assert pr.from_arrow(make(texts)).user_ids.array.tolist() == ["12", "7"]
    with pytest.raises((ValueError, OSError), match="no_such"):
        pr.from_arrow(frame, user="no_such")


def test_splits_are_parts_of_the_data():
    data = pr.synthetic(users=50, items=40, interactions_per_user=10)
    split = pr.random_split(data, validation=0.2, test=0.1, seed=5)
    assert sum(map(len, split)) == len(data)
    assert split.train.user_ids.array.tolist() == list(range(50))
    assert len(split.merged().train) == len(split.train) + len(split.validation)
    again = pr.random_split(data, validation=0.2, test=0.1, seed=5)
    assert np.array_equal(split.test.pairs(), again.test.pairs())
    timed = pr.from_pairs([1, 1, 1, 2, 2, 2], [1, 2, 3, 1, 2, 3], times=[1, 2, 3, 3, 2, 1])
    assert len(pr.leave_last_out(timed).test) == 2
    with pytest.raises(ValueError, match="time"):
        pr.leave_last_out(data)
    with pytest.raises(ValueError, match="validation"):
        pr.random_split(data, validation=1.5)
    assert pr.k_core(data, 3, 3).user_degree.min() >= 3
