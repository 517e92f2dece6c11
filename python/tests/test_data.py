# SPDX-License-Identifier: BSD-3-Clause
"""Interactions come in with their ids, and are split."""

import numpy as np
import pytest

import prismcf as pr


def test_ids_are_a_sequence():
    ids = pr.from_pairs([7, 3, 7], [1, 1, 2]).user_ids
    assert list(ids) == [7, 3] and ids[0] == 7 and list(ids[:1]) == [7] and len(ids) == 2


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
    with pytest.raises(ValueError, match="read-only"):
        data.user_ids.array[0] = "eve"


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


@pytest.mark.parametrize(
    "ids",
    [["a", None], [1, None], [1.0, 2.0], [True, False], [b"a", b"b"], ["a", ""], [float("nan"), 1]],
)
def test_ids_that_are_none_are_refused(ids):
    with pytest.raises(ValueError, match=r"users\[\d\]"):
        pr.from_pairs(ids, ["x", "y"])
    with pytest.raises(ValueError, match=r"items\[\d\]"):
        pr.from_pairs(["x", "y"], ids)


def test_large_and_strange_ids_come_back_as_they_were():
    large = np.array([2**63 + 5, 7], dtype=np.uint64)
    for users in (large, [2**63 + 5, 7]):
        data = pr.from_pairs(users, ["x", "y"])
        assert data.user_ids.array.tolist() == [2**63 + 5, 7]
        assert data.rows_of_users([7, 2**63 + 5]).tolist() == [1, 0]
    data = pr.from_pairs(["\udcff", "a"], ["x", "y"])  # a byte that is no UTF-8
    assert data.user_ids.array.tolist() == ["\udcff", "a"]
    assert data.rows_of_users(["\udcff"]).tolist() == [0]


def test_a_file_that_is_no_utf8_is_usable(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_bytes(b"user_id,item_id\nann,caf\xe9\nann,tea\nbob,tea\n")
    data = pr.read(file)
    assert data.rows_of_items(data.item_ids.array).tolist() == [0, 1]


def test_dates_are_seconds_and_must_be_there():
    pandas = pytest.importorskip("pandas")
    dates = pandas.to_datetime(["2020-01-01", "2020-01-02"])
    data = pr.from_pairs([1, 1], [1, 2], times=dates)
    assert np.diff(data._native.times()).tolist() == [86400]
    with pytest.raises(ValueError, match="missing dates"):
        pr.from_pairs([1, 1], [1, 2], times=pandas.to_datetime(["2020-01-01", None]))


def test_series_are_taken_by_position():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    data = pr.from_pairs(pandas.Series([10, 20], index=[7, 8]), polars.Series(["x", "y"]))
    assert data.user_ids.array.tolist() == [10, 20] and data.user_ids.integers
    with pytest.raises(KeyError, match="no user 99"):
        data.rows_of_users(pandas.Series([99, 10], index=[1, 0]))
    with pytest.raises(ValueError, match="missing"):
        pr.from_pairs(pandas.Series([1, None], dtype="Int64"), ["x", "y"])
    assert data.rows_of_users({20}).tolist() == [1]


def test_parts_that_were_read_apart_are_brought_together():
    train = pr.from_pairs(["a", "b", "b", "c"], [1, 1, 2, 3])
    test = pr.from_pairs(["c", "a", "d"], [1, 2, 9])
    split = pr.given_split(train, test, validation=0)
    assert split.train.user_ids.array.tolist() == ["a", "b", "c", "d"]
    assert split.test.item_ids.array.tolist() == [1, 2, 3, 9]
    users, items = split.test.pairs()
    pairs = {
        (split.test.user_ids.array[u], split.test.item_ids.array[i]) for u, i in zip(users, items)
    }
    assert pairs == {("c", 1), ("a", 2), ("d", 9)}
    with pytest.raises(ValueError, match="given_split"):
        pr.Recommender(pr.MF(4), epochs=1).fit(pr.Split(train, train, test))


def test_temporal_splits_keep_the_order_of_time():
    data = pr.from_pairs([1] * 10 + [2] * 10, list(range(10)) * 2, times=list(range(20)))
    split = pr.temporal_user_split(data, validation=0.1, test=0.1)
    assert split.test.to_csr()[0].indices.tolist() == [9]
    assert pr.temporal_global_split(data, validation=0.1, test=0.1).test.user_degree[0] == 0


def test_interactions_and_splits_are_pickled():
    import pickle

    data = pr.from_pairs([7, 7, 3], ["a", "b", "a"], times=[1, 2, 3])
    again = pickle.loads(pickle.dumps(data))
    assert again.user_ids.array.tolist() == [7, 3] and again.item_ids.array.tolist() == ["a", "b"]
    assert np.array_equal(again.pairs(), data.pairs())
    split = pr.random_split(pr.synthetic(users=30, items=20, interactions_per_user=5))
    assert np.array_equal(pickle.loads(pickle.dumps(split)).test.pairs(), split.test.pairs())


def test_what_is_no_data_is_a_type_error():
    with pytest.raises(TypeError, match="sparse matrix"):
        pr.from_csr(np.eye(3))
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        pr.from_arrow({"user_id": [1]})
    with pytest.raises(TypeError, match="data must be Interactions"):
        pr.random_split([1, 2])
    with pytest.raises(TypeError, match="data must be Interactions"):
        pr.Recommender().fit(np.eye(3))


def test_arrow_from_a_producer_that_runs_python_in_threads(tmp_path):
    """read_arrow() must not hold the interpreter's lock while it waits for the producer."""
    dataset = pytest.importorskip("pyarrow.dataset")
    import pyarrow as pa
    import pyarrow.parquet as parquet
    from pyarrow import fs

    table = pa.table({"user_id": [1, 1, 2], "item_id": [1, 2, 1]})
    parquet.write_table(table, tmp_path / "pairs.parquet")

    class InPython(fs.FileSystemHandler):
        """Opens files by Python, which takes the lock in pyarrow's own threads."""

        def __getattribute__(self, name):
            if name.startswith("__"):
                return object.__getattribute__(self, name)
            local = fs.LocalFileSystem()
            return {
                "get_type_name": lambda: "python",
                "normalize_path": lambda path: path,
                "get_file_info": lambda paths: local.get_file_info(paths),
                "get_file_info_selector": lambda selector: local.get_file_info(selector),
                "open_input_file": lambda path: pa.PythonFile(open(path, "rb"), mode="r"),
                "open_input_stream": lambda path: pa.PythonFile(open(path, "rb"), mode="r"),
            }[name]

    InPython.__abstractmethods__ = frozenset()  # the others are not called
    files = fs.PyFileSystem(InPython())
    scanner = dataset.dataset(str(tmp_path / "pairs.parquet"), filesystem=files).scanner()
    assert len(pr.from_arrow(scanner.to_reader())) == 3
