"""Sail without Sail: what its messages mean, what is checked before it, and which engine a session gets."""

from __future__ import annotations

import pytest

from deltasql.base.engine_names import chosen_engine
from deltasql.base.errors import EngineForGivenSparkError, SparkError, UnknownEngineError
from deltasql.engines.sail.checks import casts_in, has_cast
from deltasql.engines.sail.failures import sail_failure, unsupported_feature
from deltasql.engines.spark.failures import translated_errors
from deltasql.engines.spark.rewrites.row_actions import is_repeatable
from deltasql.plan.operators import SqlQuery
from deltasql.schema.types import BINARY, BOOLEAN, DATE, INTEGER, STRING, TIMESTAMP, VOID, ArrayType, DataType

_MISSING = 'attribute ObjectName([Identifier("s"), Identifier("z")]) is missing from the schema: cannot resolve'


@pytest.mark.parametrize(
    ("text", "condition", "fragment"),
    [
        (_MISSING, "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "s.z"),
        ('ambiguous attribute: ObjectName([Identifier("id")])', "AMBIGUOUS_REFERENCE", "id"),
        ("invalid argument: found FROM at 0:4 expected something else", "PARSE_SYNTAX_ERROR", "FROM"),
        ("Cast error: Cannot cast string 'x' to value of Int32 type", "CAST_INVALID_INPUT", None),
        ("Can't cast value 300 to type Int8", "CAST_OVERFLOW", None),
        ("divide by zero", "DIVIDE_BY_ZERO", None),
        ("Scalar subquery returned more than one row", "SCALAR_SUBQUERY_TOO_MANY_ROWS", None),
        ("unknown function: twice", "UNRESOLVED_ROUTINE", "twice"),
        ("[INVALID_ARRAY_INDEX] The index 5 is out of bounds.", "INVALID_ARRAY_INDEX", None),
        ("[ARITHMETIC_OVERFLOW] integer overflow.", "ARITHMETIC_OVERFLOW", None),
        ("Division by zero", "DIVIDE_BY_ZERO", None),
        (
            "1234.50 is too large to store in a Decimal128 of precision 4. Max is 99.99",
            "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
            None,
        ),
        ("something new", "SAIL_ERROR", None),
    ],
)
def test_messages_get_conditions(text: str, condition: str, fragment: str | None) -> None:
    failure = sail_failure(text)
    assert failure.condition == condition
    assert unsupported_feature(text, unsupported=False) is None
    assert fragment is None or fragment in failure.fragments


def test_what_sail_has_not() -> None:
    error = unsupported_feature(
        "Physical plan does not support logical expression InSubquery(InSubquery {", unsupported=True
    )
    assert error is not None
    assert "outside of WHERE" in error.message
    assert 'engine="spark"' in error.message
    assert unsupported_feature("collect metrics", unsupported=True) is not None
    assert unsupported_feature("unknown function: f", unsupported=True) is None
    text = "Failed to allocate additional 544.0 MB for HashJoinInput[0] - 332.7 MB remain for the total memory pool"
    assert "SAIL_RUNTIME__MEMORY_POOL__FAIR__MAX_SIZE" in str(unsupported_feature(text, unsupported=False))
    refused = unsupported_feature("[UNSUPPORTED_FEATURE.SAIL] the quotient of a DECIMAL", unsupported=False)
    assert refused is not None
    assert "cannot run this: the quotient of a DECIMAL. Run the statement on Spark" in refused.message


def test_casts() -> None:
    no: list[tuple[DataType, DataType]] = [
        (INTEGER, DATE),
        (DATE, INTEGER),
        (BOOLEAN, TIMESTAMP),
        (INTEGER, VOID),
        (BINARY, INTEGER),
        (ArrayType(INTEGER), INTEGER),
    ]
    yes: list[tuple[DataType, DataType]] = [
        (VOID, DATE),
        (STRING, DATE),
        (INTEGER, TIMESTAMP),
        (TIMESTAMP, DATE),
        (ArrayType(INTEGER), STRING),
        (INTEGER, BOOLEAN),
    ]
    assert [pair for pair in no if has_cast(*pair)] == []
    assert [pair for pair in yes if not has_cast(*pair)] == []


def test_casts_are_found() -> None:
    found = list(casts_in("coalesce(CAST(a + f(CAST(b AS INT)) AS DECIMAL(3, 1)), CAST(NULL AS DATE))"))
    assert found == [("a + f(CAST(b AS INT))", "DECIMAL(3, 1)"), ("b", "INT")]
    # A lambda may have named the operand.
    assert list(casts_in("transform(x, y -> CAST(y AS DATE))")) == []


@pytest.mark.parametrize(
    ("sql", "repeatable"),
    [
        ("SELECT 1 AS id", True),
        ("SELECT id FROM t LIMIT 3", False),
        ("SELECT rand() AS id", False),
        ("SELECT row_number() OVER (ORDER BY x) AS id FROM t", False),
        ("SELECT current_timestamp() AS at", False),
    ],
)
def test_sources_that_may_change(sql: str, repeatable: bool) -> None:
    assert is_repeatable(SqlQuery(sql, {})) is repeatable


def test_which_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DELTASQL_ENGINE", raising=False)
    assert chosen_engine(None, has_spark=False) == "spark"
    assert chosen_engine("Sail", has_spark=False) == "sail"
    monkeypatch.setenv("DELTASQL_ENGINE", "sail")
    assert chosen_engine(None, has_spark=False) == "sail"
    assert chosen_engine("spark", has_spark=False) == "spark"
    assert chosen_engine(None, has_spark=True) == "spark"
    with pytest.raises(EngineForGivenSparkError):
        chosen_engine("sail", has_spark=True)
    with pytest.raises(UnknownEngineError, match="duck"):
        chosen_engine("duck", has_spark=False)


def test_a_query_that_ends_without_an_answer() -> None:
    """PySpark asserts that there was a batch; an assertion of anybody else's is no failure of the engine."""

    def from_(module: str) -> AssertionError:
        try:
            exec("raise AssertionError", {"__name__": module})
        except AssertionError as error:
            return error
        raise RuntimeError

    with pytest.raises(SparkError, match=r"without an answer.*engine=\"spark\"") as told, translated_errors("SELECT 1"):
        raise from_("pyspark.sql.connect.client.core")
    assert told.value.condition == "SAIL_ERROR"
    with pytest.raises(AssertionError), translated_errors("SELECT 1"):
        raise from_("deltasql.engine")
