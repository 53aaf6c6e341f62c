"""Data frames and tables go in directly; their names are kept, and their faults named."""

import datetime
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest

from streamart import ICVITopoARTMAP, load
from streamart.data import make_stream
from streamart.data.tables import as_table
from support import COMPILED

N = 200 if COMPILED else 40
X, _ = make_stream("mixed", N, 0)
NAMES = ["width", "height"]


def pandas_frame(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def polars_frame(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def arrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


def arrow_chunks(columns):
    """A table each of whose columns lies in two pieces."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table(columns)
    half = table.num_rows // 2
    return pa.concat_tables([table.slice(0, half), table.slice(half)])


def arrow_batch(columns):
    return pytest.importorskip("pyarrow").record_batch(columns)


MAKERS = [pandas_frame, polars_frame, arrow_table, arrow_chunks, arrow_batch]
every_kind = pytest.mark.parametrize("make", MAKERS)


def columns_of(array, names=NAMES):
    return dict(zip(names, array.T.tolist(), strict=True))


# ---------------------------------------------------------------------- what goes in


@every_kind
def test_a_table_is_learnt_like_an_array(make):
    table = make(columns_of(X))
    model, plain = ICVITopoARTMAP().fit(table), ICVITopoARTMAP().fit(X)
    assert model.feature_names_in_.tolist() == NAMES
    assert model.categories_.mean.tobytes() == plain.categories_.mean.tobytes()
    assert np.array_equal(model.predict(table), plain.predict(X))
    piecewise = ICVITopoARTMAP().partial_fit(make(columns_of(X[:9])))
    piecewise.partial_fit(make(columns_of(X[9:])))
    assert piecewise.categories_.mean.tobytes() == plain.categories_.mean.tobytes()


@every_kind
def test_supervised_labels_go_with_a_table(make):
    model = ICVITopoARTMAP().partial_fit(make(columns_of(X[:4])), [0, 1, 0, -1])
    assert set(model.class_ids_) == {0, 1}


@every_kind
@pytest.mark.parametrize("method", ["partial_fit", "predict"])
@pytest.mark.parametrize(
    ("names", "message"),
    [(NAMES[::-1], "must be in the same order"), (["width", "depth"], "unseen at fit time")],
)
def test_other_names_are_refused_by_scikit_learn(make, method, names, message):
    model = ICVITopoARTMAP().partial_fit(make(columns_of(X)))
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(make(columns_of(X, names)))
    assert model.n_samples_seen_ == N
    model.partial_fit(make(columns_of(X)))


def test_tables_of_different_libraries_may_follow_each_other():
    model = ICVITopoARTMAP()
    for make in MAKERS:
        model.partial_fit(make(columns_of(X)))
    assert model.n_samples_seen_ == len(MAKERS) * N


@every_kind
def test_names_come_back_from_a_file(make, tmp_path):
    model = ICVITopoARTMAP().partial_fit(make(columns_of(X)))
    model.save(tmp_path / "model")
    twin = load(tmp_path / "model")
    assert twin.feature_names_in_.dtype == model.feature_names_in_.dtype
    with pytest.raises(ValueError, match="same order"):
        twin.partial_fit(make(columns_of(X, NAMES[::-1])))
    twin.partial_fit(make(columns_of(X)))


@every_kind
def test_integers_booleans_and_decimals_are_numbers(make):
    columns = {"a": [3, 4], "b": [True, False], "c": [Decimal("1.5"), Decimal("2.5")]}
    model = ICVITopoARTMAP().partial_fit(make(columns))
    assert model.clusters_.mean.sum(axis=0).shape == (3,)
    box = model._state.feature[:2].tolist()
    assert box == [[3, 0, 1.5], [4, 1, 2.5]]


@pytest.mark.parametrize(
    "dtype",
    [
        "Int64",
        "UInt8",
        "Float32",
        "boolean",
        "int16[pyarrow]",
        "bool[pyarrow]",
        "object",
        "float16",
        "Sparse[float]",
        "Sparse[int]",
    ],
)
def test_special_columns_of_pandas(dtype):
    pd = pytest.importorskip("pandas")
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": pd.Series([1, 0, 1]).astype(dtype), "b": [0.5, 1.5, 2.5]})
    model = ICVITopoARTMAP().partial_fit(frame)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model._state.feature[:2].tolist() == [[0, 0.5], [1, 2.5]]


def test_a_plain_frame_is_not_copied():
    frame = pandas_frame(columns_of(X))
    assert as_table(frame) is frame


def test_names_that_are_no_strings_are_not_kept():
    pd = pytest.importorskip("pandas")
    model = ICVITopoARTMAP().partial_fit(pd.DataFrame(X))
    assert not hasattr(model, "feature_names_in_")
    with pytest.raises(TypeError, match="string names"):
        ICVITopoARTMAP().partial_fit(pd.DataFrame(X, columns=["a", 1]))


def test_a_frame_of_a_class_of_ones_own():
    pd = pytest.importorskip("pandas")

    class Frame(pd.DataFrame):
        pass

    with pytest.raises(ValueError, match="'a'"):
        as_table(Frame({"a": ["x"]}))


def test_other_things_pass_as_they_are():
    class DataFrame:
        """No library's."""

    for thing in ([[1, 2]], X, None, 3, DataFrame()):
        assert as_table(thing) is thing


# ---------------------------------------------------------------------- what is refused


def refused(table, message):
    model = ICVITopoARTMAP()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(table)
    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "feature_names_in_")


@every_kind
@pytest.mark.parametrize(
    "values",
    [
        ["x", "y"],
        ["1", "2"],
        [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)],
        [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)],
        [datetime.timedelta(1), datetime.timedelta(2)],
        [[1], [2]],
    ],
)
def test_a_column_that_is_not_numeric_is_named(make, values):
    refused(make({"good": [1, 2], "bad": values}), r"not numeric: 'bad' \(.+\)\. Turn")


@every_kind
@pytest.mark.parametrize("values", [[1, None], [1.5, None], [True, None], [None, None]])
def test_a_column_with_nulls_is_named(make, values):
    count = values.count(None)
    refused(make({"good": [1, 2], "bad": values}), rf"NaN or null in columns: 'bad' \({count}\);")


@every_kind
def test_a_column_with_nan_is_named(make):
    values = [1.5, float("nan"), float("nan")]
    refused(make({"good": [1, 2, 3], "bad": values}), r"columns: 'bad' \(2\); of 3 rows")


@pytest.mark.parametrize(
    "dtype", ["Int64", "boolean", "Float64", "int64[pyarrow]", "Sparse[float]"]
)
def test_a_nullable_column_of_pandas_with_nulls_is_named(dtype):
    pd = pytest.importorskip("pandas")
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"good": [1, 2], "bad": pd.Series([1, None]).astype(dtype)})
    refused(frame, r"columns: 'bad' \(1\);")


def test_mixed_objects_and_categories_of_pandas_are_not_numeric():
    pd = pytest.importorskip("pandas")
    refused(pd.DataFrame({"bad": pd.Series([1, "2"], dtype=object)}), r"'bad' \(object\)")
    refused(pd.DataFrame({"bad": pd.Categorical([1, 2])}), r"'bad' \(category\)")


def test_categories_of_polars_and_arrow_are_not_numeric():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    refused(pl.DataFrame({"bad": pl.Series(["x", "y"], dtype=pl.Categorical)}), "'bad'")
    refused(pa.table({"bad": pa.array(["x", "y"]).dictionary_encode()}), "'bad'")


def test_many_bad_columns_are_not_all_named():
    frame = pandas_frame({f"c{i}": ["x"] for i in range(30)})
    refused(frame, r"'c0' \(\w+\), .*'c4' \(\w+\), and 25 more")


def test_columns_of_one_name_are_refused():
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    refused(pd.DataFrame([[1, 2]], columns=["a", "a"]), "one name: 'a'")
    refused(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), "one name: 'a'")


def test_a_lazy_frame_is_refused():
    pl = pytest.importorskip("polars")
    refused(pl.LazyFrame({"a": [1]}), r"X\.collect\(\)")


@every_kind
def test_an_empty_table_is_refused_by_scikit_learn(make):
    table = make({"a": [1.0]})
    refused(table[:0] if make is not arrow_batch else table.slice(0, 0), r"0 sample\(s\)")


# ---------------------------------------------------------------------- what is not needed

WITHOUT = """
import sys
sys.modules.update(pandas=None, polars=None, pyarrow=None)  # importing one is an error now
import numpy as np
from streamart.data.tables import as_table
as_table(np.zeros((2, 2)))
as_table([[1, 2]])
"""


def test_arrays_need_none_of_the_libraries():
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)
