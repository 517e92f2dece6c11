# SPDX-License-Identifier: BSD-3-Clause
"""pyarrow_test.py MODULE: interactions and tables between pyarrow and the library, through Arrow's C
data interface. MODULE is the shared object of module.cpp."""

import ctypes
import decimal
import gc
import os
import sys
import tempfile

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as parquet
except ImportError as error:
    print(f"skipped: {sys.executable} has no pyarrow with NumPy ({error})")
    sys.exit(0)

SCHEMA_BYTES, ARRAY_BYTES, STREAM_BYTES = 72, 80, 40  # of the C structures, with 64-bit pointers

library = ctypes.CDLL(sys.argv[1])
for function in ("read_stream", "read_batch", "export_interactions", "make_models", "export_table"):
    getattr(library, "prism_" + function).restype = ctypes.c_char_p
library.prism_free.restype = None
library.prism_free.argtypes = [ctypes.c_void_p]


class PrismError(Exception):
    pass


def call(function, *arguments):
    problem = getattr(library, "prism_" + function)(*arguments)
    if problem is not None:
        raise PrismError(problem.decode())


class Structure:
    """Memory of a C structure of zeros, where its release callback is last but one."""

    def __init__(self, size):
        self.memory = (ctypes.c_uint64 * (size // 8))()
        self.address = ctypes.addressof(self.memory)
        self.pointer = ctypes.c_void_p(self.address)

    def released(self):
        return self.memory[len(self.memory) - 2] == 0


class Data:
    """Interactions in the library."""

    def __init__(self):
        self.handle = ctypes.c_void_p()

    def __del__(self):
        library.prism_free(self.handle)

    @classmethod
    def of_stream(cls, reader, user=None, item=None, min_rating=None, drop_nulls=False):
        data = cls()
        stream = Structure(STREAM_BYTES)
        reader._export_to_c(stream.address)
        rating = None if min_rating is None else ctypes.byref(ctypes.c_double(min_rating))
        encoded = [None if name is None else name.encode() for name in (user, item)]
        try:
            call("read_stream", stream.pointer, *encoded, rating, int(drop_nulls),
                 ctypes.byref(data.handle))
        finally:
            assert stream.released()
        return data

    @classmethod
    def of_table(cls, table, **options):
        return cls.of_stream(table.to_reader(), **options)

    @classmethod
    def of_batch(cls, batch):
        data = cls()
        schema, array = Structure(SCHEMA_BYTES), Structure(ARRAY_BYTES)
        batch._export_to_c(array.address, schema.address)
        call("read_batch", schema.pointer, array.pointer, ctypes.byref(data.handle))
        assert schema.released() and array.released()
        return data

    def take(self, function, *arguments):
        schema, array = Structure(SCHEMA_BYTES), Structure(ARRAY_BYTES)
        call(function, self.handle, *arguments, schema.pointer, array.pointer)
        batch = pa.RecordBatch._import_from_c(array.address, schema.address)
        assert schema.released() and array.released()  # pyarrow has moved them
        batch.validate(full=True)
        return batch

    def batch(self, dictionary=True, binary=False):
        return self.take("export_interactions", int(dictionary), int(binary))

    def pairs(self):
        columns = [column.to_pylist() for column in self.batch(dictionary=False).columns[:2]]
        return set(zip(*columns))


def error_of(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except PrismError as error:
        return str(error)
    return "no error"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


PAIRS = [("u1", "i1"), ("u2", "i\u00f3"), ("u1", "an item with a long name"), ("u3", "i1")]
WANTED = set(PAIRS)


def strings(kind):
    users, items = ([pair[side] for pair in PAIRS] for side in (0, 1))
    return pa.table({"user_id": pa.array(users).cast(kind), "item_id": pa.array(items).cast(kind)})


def test_types():
    for kind in (pa.string(), pa.large_string(), pa.string_view(),
                 pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.uint32(), pa.string()),
                 pa.dictionary(pa.int64(), pa.large_string())):
        check(Data.of_table(strings(kind)).pairs() == WANTED, kind)
    names = strings(pa.string())
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        columns = [column.combine_chunks().cast(pa.binary()).cast(kind) for column in names.columns]
        table = pa.table(columns, names=names.column_names)
        check(Data.of_table(table).pairs() == WANTED, kind)
    for kind in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(),
                 pa.int64(), pa.uint64()):
        limits = np.iinfo(kind.to_pandas_dtype())
        users = [limits.min, limits.max, 7]
        table = pa.table({"item": pa.array([1, 2, 3], kind), "user": pa.array(users, kind)})
        wanted = {(str(u), str(i + 1)) for i, u in enumerate(users)}
        check(Data.of_table(table).pairs() == wanted, kind)


def test_slices_and_batches():
    rng = np.random.default_rng(1)
    rows = 10_000
    users = [f"user {u}" if u % 7 else None for u in rng.integers(0, 500, rows)]
    items = rng.integers(0, 300, rows)
    table = pa.table({"user": pa.array(users), "item": pa.array(items)})
    wanted = {(u, str(i)) for u, i in zip(users, items) if u is not None}
    for chunk in (1, 13, 1000, rows):
        reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(chunk))
        check(Data.of_stream(reader, drop_nulls=True).pairs() == wanted, chunk)
    part = table.slice(1234, 567)
    wanted = {(u, str(i)) for u, i in zip(users[1234:1801], items[1234:1801]) if u is not None}
    check(Data.of_table(part, drop_nulls=True).pairs() == wanted, "slice")
    encoded = table.set_column(0, "user", table["user"].dictionary_encode())
    check(Data.of_table(encoded.slice(1234, 567), drop_nulls=True).pairs() == wanted, "dictionary")
    halves = pa.concat_tables([encoded.slice(0, 100), encoded.slice(9000).unify_dictionaries()])
    check(len(Data.of_table(halves, drop_nulls=True).pairs()) > 900, "halves")
    first_null = users.index(None)
    check(error_of(Data.of_table, table).startswith(
        f"Arrow data: column 'user' (format 'u'), row {first_null} (from 0): is null"), "null")
    # A struct array with its own offset, which record batches do not have.
    batch = table.drop_null().combine_chunks().to_batches()[0]
    struct = pa.StructArray.from_arrays(batch.columns, names=["user", "item"]).slice(5, 3)
    check(Data.of_batch(pa.RecordBatch.from_struct_array(struct)).batch().num_rows == 3, "struct")
    check(Data.of_batch(struct).batch().num_rows == 3, "struct array")


def test_ratings_and_errors():
    table = strings(pa.string()).append_column("rating", pa.array([1.0, 4.0, None, 5.0]))
    check(Data.of_table(table).pairs() == WANTED, "ratings are not read")
    check("row 2 (from 0): is null" in error_of(Data.of_table, table, min_rating=4), "null rating")
    check(Data.of_table(table, min_rating=4, drop_nulls=True).pairs() == {PAIRS[1], PAIRS[3]},
          "min_rating")
    for kind, name in ((pa.float64(), "g"), (pa.float16(), "e"), (pa.bool_(), "b"),
                       (pa.date32(), "tdD"), (pa.timestamp("us"), "tsu:"),
                       (pa.decimal128(10, 2), "d:10,2"), (pa.list_(pa.int32()), "+l"),
                       (pa.null(), "n"), (pa.duration("s"), "tDs"),
                       (pa.run_end_encoded(pa.int32(), pa.int64()), "+r")):
        column = pa.nulls(2, kind)
        problem = error_of(Data.of_table, pa.table({"user": column, "item": pa.array(["a", "b"])}))
        check(problem == f"Arrow data: column 'user' (format '{name}') has no ids; ids must be integers, "
              "strings or a dictionary of them: cast the column", problem)
    cents = pa.array([decimal.Decimal("4.5")] * 4)
    problem = error_of(Data.of_table, table.set_column(2, "rating", cents), min_rating=4)
    check("cast it to float64" in problem, problem)

    def batches():
        yield table.to_batches()[0]
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(table.schema, batches())
    problem = error_of(Data.of_stream, reader)
    check("get_next failed" in problem and "the disk is gone" in problem, problem)


def test_parquet():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ratings.parquet")
        parquet.write_table(strings(pa.string()), path, row_group_size=2)
        with parquet.ParquetFile(path) as file:
            reader = pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(3))
            check(Data.of_stream(reader).pairs() == WANTED, "parquet")
        with parquet.ParquetFile(path, read_dictionary=["user_id", "item_id"]) as file:
            check(Data.of_table(file.read()).pairs() == WANTED, "parquet dictionaries")
        batch = Data.of_table(strings(pa.string())).batch()
        parquet.write_table(pa.Table.from_batches([batch]), path)
        check(parquet.read_table(path).num_rows == len(PAIRS), "parquet of what was exported")


def test_interactions_out():
    times = pa.array([40, 30, 20, 10], pa.timestamp("s"))
    data = Data.of_table(strings(pa.string()).append_column("timestamp", times))
    batch = data.batch()
    check(str(batch.schema.types) == str([pa.dictionary(pa.int32(), pa.string())] * 2
                                         + [pa.float64()]), batch.schema)
    check(batch.schema.names == ["user", "item", "timestamp"], batch.schema)
    check(all(batch.schema.field(k).nullable for k in range(3)), batch.schema)
    rows = sorted(zip(*(column.to_pylist() for column in batch.columns)))
    check(rows == sorted((*pair, 40.0 - 10 * k) for k, pair in enumerate(PAIRS)), rows)
    again = Data.of_batch(batch).batch()
    check(sorted(zip(*(column.to_pylist() for column in again.columns))) == rows, "round trip")
    plain = data.batch(dictionary=False)
    check(plain.schema.types[:2] == [pa.string()] * 2, plain.schema)
    check(plain["user"].equals(batch["user"].dictionary_decode()), "plain")
    bytes_out = data.batch(binary=True)
    check(bytes_out.schema.types[0] == pa.dictionary(pa.int32(), pa.binary()), bytes_out.schema)
    latin = Data.of_table(pa.table({"user": pa.array([b"Andr\xe9"]), "item": pa.array(["x"])}))
    check("is not valid UTF-8" in error_of(latin.batch), "not UTF-8")
    check(latin.batch(binary=True)["user"].to_pylist() == [b"Andr\xe9"], "not UTF-8, as binary")
    del data
    gc.collect()
    check(plain["user"].to_pylist()[0] == "u1", "interactions were freed")


def test_tables_out():
    data = Data.of_table(strings(pa.string()))
    rows = ctypes.POINTER(ctypes.c_float)()
    call("make_models", data.handle, ctypes.byref(rows))
    expected = np.ctypeslib.as_array(rows, (3, 8)).copy()
    address = ctypes.addressof(rows.contents)
    copied, viewed, graph = (data.take("export_table", what) for what in (0, 1, 2))

    def numbers(batch):
        return batch["embedding"].flatten().to_numpy(zero_copy_only=True).reshape(len(batch), 8)

    check(copied.schema.types == [pa.string(), pa.list_(pa.float32(), 8)], copied.schema)
    check(graph.schema.types == [pa.string(), pa.list_(pa.float64(), 8)], graph.schema)
    check(copied["id"].to_pylist() == ["u1", "u2", "u3"], copied["id"])
    check(graph["id"].to_pylist() == ["i1", "i\u00f3", "an item with a long name"], graph["id"])
    check(numbers(viewed).ctypes.data == address, "viewed rows were copied")
    check(numbers(copied).ctypes.data != address, "copied rows were not")
    check((numbers(copied) == expected).all() and (numbers(viewed) == expected).all(), "rows")
    part = numbers(viewed.slice(1, 2))
    before = numbers(graph).copy()
    del data, viewed
    gc.collect()
    check((part == expected[1:]).all(), "a slice outlives the model")
    check((numbers(graph) == before).all() and np.isfinite(before).all(), "rows of the graph")
    check((np.linalg.norm(before, axis=1) > 0).all(), "rows of the graph are zeros")


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            gc.collect()
            check(pa.total_allocated_bytes() == 0, f"{name}: pyarrow's memory was not released")
            print(f"{name}: ok")


main()
