"""SQL text of a statement, adapted to an engine without Spark's variables, functions, CHAR padding and checks.

An engine that has these gets the text unchanged.

Sail runs the code of Python functions within this process. It resolves names when a query runs, so a function stays
registered in its session. Its name there depends on its definition alone: the next statement that calls it finds it,
and one that is replaced has another name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from deltasql.base import LeftToEngineError, errors
from deltasql.engines.sail.dialect.char_padding import Reach, padded
from deltasql.engines.sail.dialect.inlining import Inline, inlined
from deltasql.engines.sail.dialect.pipes import single_quotes
from deltasql.engines.sail.variables import expression_with_values, query_with_values, variables_of
from deltasql.engines.spark.reading.frames import register_python
from deltasql.engines.spark.session.spark import SparkHandle
from deltasql.plan import Operator, Project, PythonFunction, Scan, SqlFunction, SqlQuery, children, hidden
from deltasql.schema import (
    TYPE_KEY,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructType,
    declared_texts,
    sql_text,
)
from deltasql.schema import quote_name as quote
from deltasql.sql import HIDDEN_FUNCTION, FunctionText, function_text, parse_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_REGISTERED: WeakKeyDictionary[SparkSession, set[str]] = WeakKeyDictionary()
"""The names of functions that each session has."""


_SAFELY = "spark.sql.execution.pandas.convertToArrowArraySafely"
"""The setting, true in Spark, by which a result that does not fit its type is an error; Sail would cut it off."""
_COMPARED = frozenset(
    {
        *("boolean", "byte", "short", "integer", "long", "float", "double", "string", "binary", "date", "timestamp"),
        "timestamp_ntz",
    }
)
"""Types whose values arrive and return as they do on Spark, also in arrays, maps and structs."""
_NESTED = (StructType, ArrayType, MapType)


def python_of(function: SqlFunction) -> PythonFunction | None:
    """The function of Python that one of SQL calls; None for any other."""
    return next((item for item in function.relations.values() if isinstance(item, PythonFunction)), None)


def registered(spark: SparkHandle, function: SqlFunction) -> tuple[FunctionText, dict[str, str]]:
    """The text of a function of SQL that calls functions of Python, and these by their names in Sail.

    Raises NotOnSailError for a type that was not compared with Spark.
    """
    text, names = function.text, dict[str, str]()
    for name, code in function.relations.items():
        if isinstance(code, PythonFunction):
            own = _registered(spark, code)
            names[own] = code.name
            text = text.replace(quote(name), quote(own))
    parsed = function_text(text)
    types = [item.type for item in (*parsed.parameters, *(parsed.columns or ()))]
    for kind in map(parse_type, [*types, *filter(None, [parsed.returns])]):
        if not _is_compared(kind):
            name = next(iter(names.values()))
            raise errors.NotOnSailError(what=f"the function {name} of Python, which has the type {sql_text(kind)}")
    return parsed, names


def _is_compared(kind: DataType) -> bool:
    match kind:
        case StructType(fields):
            return all(_is_compared(item.type) for item in fields)
        case ArrayType(element):
            return _is_compared(element)
        case MapType(key, value):
            parts = (key, value)
            return not any(isinstance(part, _NESTED) for part in parts) and all(map(_is_compared, parts))
        case PrimitiveType(name):
            return name in _COMPARED
        case DecimalType():
            return True


def _registered(spark: SparkHandle, function: PythonFunction) -> str:
    """The name of the function in Sail."""
    name = hidden(f"python_{sha256(repr(astuple(function)).encode()).hexdigest()[:32]}")
    if spark.session not in _REGISTERED:
        spark.session.conf.set(_SAFELY, "true")
    names = _REGISTERED.setdefault(spark.session, set())
    if name not in names:
        register_python(spark.session, name, function)
        names.add(name)
    return name


_CHAR = re.compile(r"char\((\d+)\)")
_WITH_CHAR = re.compile(r"\bchar\(")
_DAYS = re.compile(r"date|day|trunc", re.IGNORECASE)
"""Words of casts, literals and functions that yield a DATE."""
_DECIMALS = re.compile(
    r"\d\.|\.\d|\dbd\b|\b(?:dec|decimal|numeric|float|real|try_avg|ceil|ceiling|floor)\b|from_json|json_tuple|schema_of",
    re.IGNORECASE,
)
"""Words of casts, literals and functions that yield a DECIMAL or a FLOAT."""
_PARTS = re.compile(r"map\w*\s*[(<]|\bstruct|collect_", re.IGNORECASE)
"""Words of casts and functions that yield a MAP or an ARRAY of structs."""
NOTHING = Reach({}, frozenset(), frozenset())


@dataclass(slots=True)
class SailTexts:
    """Adapts the SQL text of one statement for Sail (see `SailDialect`); `functions` are its SQL functions by name."""

    spark: SparkHandle
    functions: dict[str, Inline] = field(default_factory=dict)
    python_names: dict[str, str] = field(default_factory=dict)
    """The names of functions of Python by those that Sail has for them."""
    variable_marker: str = ""
    """The marker of a variable in a plan of Spark, once a query has used one; else ""."""

    def learn(self, name: str, function: SqlFunction, columns: Iterable[str]) -> Inline:
        """Registers a SQL function, to be inlined where a text calls it from now on. Raises NotOnSailError."""
        if function.settings:
            raise errors.NotOnSailError(what=f"the function {name}, which was made under other settings")
        code = python_of(function)
        text = function_text(function.text)
        if code is not None:
            text, names = registered(self.spark, function)
            self.python_names |= names
        ends = code is not None and code.is_table and "terminate" in code.code
        inline = Inline(name, text, frozenset(item.upper() for item in columns), code is not None, ends)
        self.functions[name] = inline
        return inline

    def reach(self, relations: Iterable[Operator], rows: Callable[[Operator], DataFrame]) -> Reach:
        """The columns of relations, by their CHAR lengths; empty if no relation reads a CHAR column.

        `rows` gives the DataFrame of a relation.
        """
        relations = [item for item in relations if not isinstance(item, PythonFunction)]
        if not any(map(has_char, relations)):
            return NOTHING
        reach = NOTHING
        for operator in relations:
            if isinstance(operator, SqlFunction):
                reach = joined(reach, self.reach(operator.relations.values(), rows))
            else:
                reach = joined(reach, _reach(rows(operator)))
        return reach

    def query(self, sql: str, reach: Reach) -> str:
        """`sql`, a query, for the engine: functions inlined, variables replaced, CHAR comparisons padded."""
        _refuse_geospatial(sql)
        sql = inlined(sql, self.functions) if self.functions else sql
        if variables_of(self.spark):
            original, sql = sql, query_with_values(self.spark.session, sql, variables_of(self.spark))
            self.variable_marker = "variablereference(…)" if sql != original else self.variable_marker
        return single_quotes(self._padded(sql, reach))

    def named(self, rows: DataFrame) -> DataFrame:
        """The rows of a query, with functions of Python by their names in the names of columns."""
        if not self.python_names:
            return rows
        columns = rows.columns
        names = [self._with_python_names(column) for column in columns]
        return rows if names == columns else rows.toDF(*names)

    def _with_python_names(self, column: str) -> str:
        for own, name in self.python_names.items():
            column = column.replace(own, name)
        return column

    def expression(self, text: str, columns: Iterable[str] | None, reach: Reach) -> str:
        """`text`, an expression over `columns`, for the engine. Other names may be variables, if `columns` is given."""
        _refuse_geospatial(text)
        text = inlined(text, self.functions) if self.functions else text
        if columns is not None and variables_of(self.spark):
            text = expression_with_values(text, variables_of(self.spark), columns)
        return single_quotes(self._padded(text, reach))

    def reach_in(self, rows: DataFrame, operator: Operator) -> Reach:
        """The columns of an operator's rows by their CHAR lengths; empty if neither it nor its inputs have CHAR."""
        return _reach(rows) if has_char(operator) else NOTHING

    def _padded(self, text: str, reach: Reach) -> str:
        if not reach.lengths and not reach.parts:
            return text
        try:
            return padded(text, reach)
        except LeftToEngineError:
            name = min({*reach.lengths, *reach.parts}).lower()
            raise errors.NotOnSailError(
                what=f"the column {name}, which is or holds a CHAR, and is compared with blanks behind"
            ) from None


def _refuse_geospatial(sql: str) -> None:
    """Raises NotOnSailError for a function of Python of ours, whose results were not compared with Spark's."""
    called = HIDDEN_FUNCTION.search(sql)
    if called is not None:
        raise errors.NotOnSailError(what=f"the function {called[1]}")


def _reach(rows: DataFrame) -> Reach:
    """The columns of a DataFrame by their CHAR lengths, which are in the metadata of its fields, as in Spark."""
    fields = rows.schema.fields
    declared = {field.name: str(field.metadata[TYPE_KEY]) for field in fields if TYPE_KEY in field.metadata}
    return declared_reach(declared, [field.name for field in fields])


def has_char(operator: Operator) -> bool:
    """Whether an operator, or a table that is read below it, has a CHAR column."""
    declared: Mapping[str, str] = {}
    if isinstance(operator, Scan):
        declared = declared_texts(operator.schema)
    elif isinstance(operator, Project):
        declared = operator.declared
    if any(map(_WITH_CHAR.search, declared.values())):
        return True
    return any(map(has_char, children(operator)))


def declared_reach(declared: Mapping[str, str], names: Iterable[str]) -> Reach:
    """The columns `names` by their CHAR lengths; `declared` has declared types by column name."""
    lengths, parts, others = dict[str, int](), set[str](), set[str]()
    for name in names:
        text = declared.get(name, "")
        match = _CHAR.fullmatch(text)
        if match is not None:
            lengths[name.upper()] = int(match[1])
        elif _WITH_CHAR.search(text):
            parts.add(name.upper())
        else:
            others.add(name.upper())
    return Reach(lengths, frozenset(parts), frozenset(others))


def joined(one: Reach, other: Reach) -> Reach:
    """The union of both. A name with two different CHAR lengths counts as no CHAR."""
    unlike = {name for name, length in one.lengths.items() if other.lengths.get(name, length) != length}
    others = one.others | other.others | unlike
    return Reach({**one.lengths, **other.lengths}, one.parts | other.parts, others)


class PossibleTypes(NamedTuple):
    """Flags for data types that may occur in a statement's input columns and expressions."""

    days: bool = False
    """A DATE."""
    decimals: bool = False
    """A DECIMAL or a FLOAT."""
    parts: bool = False
    """A MAP, or an ARRAY of structs."""


def possible_types(operators: Iterable[Operator], text: str = "") -> PossibleTypes:
    """Flags for data types that may occur in the columns of some operators, or in the expressions of a SQL text."""
    operators = list(operators)
    return PossibleTypes(
        _may_have(operators, text, _DAYS, ("DATE",)),
        _may_have(operators, text, _DECIMALS, ("DECIMAL", "FLOAT")),
        _may_have(operators, text, _PARTS, ("MAP<", "ARRAY<STRUCT")),
    )


def _may_have(operators: Iterable[Operator], text: str, words: re.Pattern[str], kinds: Sequence[str]) -> bool:
    return words.search(text) is not None or any(_has(operator, words, kinds) for operator in operators)


def _has(operator: Operator, words: re.Pattern[str], kinds: Sequence[str]) -> bool:
    match operator:
        case Scan():
            return any(kind in sql_text(field.type) for field in operator.schema for kind in kinds)
        case SqlQuery() | SqlFunction():
            text = operator.sql if isinstance(operator, SqlQuery) else operator.text
            return _may_have(operator.relations.values(), text, words, kinds)
        case _:
            below = list(children(operator))
            return not below or any(_has(item, words, kinds) for item in below)
