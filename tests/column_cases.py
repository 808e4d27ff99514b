"""Columns of PySpark over rows of many types, each of which SQL must mean the same; by the function that they call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from deltasql.session.frames.columns.columns import column_sql

ROWS = """
SELECT * FROM VALUES
 (1, 10L, 1.5D, float(2.5), 3.25BD, 'abc', true, X'6162', DATE '2020-01-31', TIMESTAMP '2020-01-02 03:04:05.000006',
  TIMESTAMP_NTZ '2020-01-02 03:04:05', named_struct('x', 1, 'y z', 'u'), array(3, 1, NULL), map('k', 1), 7, 8, 9,
  '{"a": 1}', array(1, 3), 'it''s "q"'),
 (-2, -20L, -0.25D, float(-0.5), -1.10BD, 'Ax%_y', false, X'00ff', DATE '1999-12-31', TIMESTAMP '1969-12-31 23:59:59',
  TIMESTAMP_NTZ '1900-01-01 00:00:00', named_struct('x', 2, 'y z', NULL), array(), map('k', 2, 'l', 3), -7, 0, 1,
  'no', array(2), ' x '),
 (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL)
 AS t(i, l, d, f, n, s, b, bin, day, at, clock, st, arr, m, `a.b`, `q``t`, `sp ace`, j, arr2, w)
"""
TEXTS = (
    "plain",
    "it's",
    'a "b"',
    "back\\slash",
    "line\nbreak",
    "`tick`",
    "${x}",
    "ä ∂ 😀",
    "",
    "%_",
    "\\n",
    "a''b",
    "\t",
)


def check_columns(spark: Any) -> None:
    """Compares the value and the type of each Column with those of its SQL."""
    rows, cases = spark.sql(ROWS).alias("t"), list(columns())
    texts = [column_sql(column) for _, column in cases]
    called = [f"c{index}" for index in range(len(cases))]
    ours = rows.selectExpr(*(f"{text} AS {name}" for text, name in zip(texts, called, strict=True)))
    sparks = rows.select(*(column.alias(name) for (_, column), name in zip(cases, called, strict=True)))
    wrong = [
        f"{name}: {text}: {left} is not {right}"
        for (name, _), text, left, right in zip(cases, texts, _compared(ours), _compared(sparks), strict=True)
        if left != right
    ]
    assert not wrong, "\n".join(wrong)


def _compared(frame: Any) -> list[str]:
    """The type and the values of each column, as text: NaN is equal to itself."""
    found = frame.collect()
    return [f"{field.dataType} {[repr(row[index]) for row in found]}" for index, field in enumerate(frame.schema)]


def columns() -> Iterator[tuple[str, Any]]:
    """Each Column with a name for it."""
    for index, column in enumerate(_literals()):
        yield f"literal {index}", column
    for index, column in enumerate(_operators()):
        yield f"operator {index}", column
    for name, column in _calls().items():
        yield name, column


def _literals() -> Iterator[Any]:
    from pyspark.sql import functions as F

    for text in TEXTS:
        yield F.lit(text)
        yield F.col("s") == F.lit(text)
    for value in (
        *(True, False, None, 0, 1, -1, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63) + 1, 1.5, -0.0, 1e300, -2.5e-10),
        *(float("nan"), float("inf"), float("-inf"), Decimal("1.50"), Decimal("-0.001"), Decimal(12345678901234567890)),
        *(b"", b"\x00ab\xff", date(2020, 2, 29), date(1500, 3, 1), date(9999, 12, 31)),
        *(datetime(2020, 1, 2, 3, 4, 5, 6), datetime(1960, 1, 2), timedelta(days=1, seconds=2, microseconds=3)),
        timedelta(days=-1, microseconds=1),
    ):
        yield F.lit(value)
    yield F.lit([1, 2])


def _operators() -> Iterator[Any]:
    from pyspark.sql import functions as F

    i, s, d, col = F.col("i"), F.col("s"), F.col("d"), F.col
    yield from (i + 1, 1 - i, i * 2, i / 2, i % 2, -i, -(1 - i), i - -1, i + col("l") * col("n"), (i + 1) * 2, i**2)
    yield from (col("n") + 1, col("n") * Decimal("1.10"), d + 1, col("f") * 2, i.bitwiseAND(3), i.bitwiseOR(4))
    yield from (i.bitwiseXOR(1), F.bitwise_not(i), i == 1, i != 1, i < 1, i <= 1, i > 1, i >= 1, i.eqNullSafe(None))
    yield from (i.eqNullSafe(1), ~(i == 1), (i > 0) & (d < 2), (i > 0) | col("b"), ~col("b") & (i > 0) | (d < 0))
    yield from (i.isin(1, 2), i.isin([]), i.isin([1, None]), s.isin("abc", "it's"), ~i.isin(1), i.between(-2, 0))
    yield from (i.isNull(), i.isNotNull(), s.like("a%"), s.like("Ax\\%%"), s.rlike("^[a-z]+$"), s.ilike("A%"))
    yield from (s.startswith("a"), s.endswith("c"), s.contains("b"), s.substr(1, 2), i.cast("string"), s.cast("binary"))
    yield from (i.cast("decimal(12,3)"), i.cast("bigint"), s.try_cast("int"), col("at").cast("date"), d.cast("int"))
    yield from (col("st").cast("struct<a:string,b:string>"), col("arr").cast("array<string>"), F.lit(5).cast("tinyint"))
    yield from (F.lit("2020-01-02").cast("date"), F.lit(None).cast("int"), F.lit(1.5).cast("float"))
    yield F.when(i == 1, "one").when(i == -2, s).otherwise(F.lit(None))
    yield F.when(i == 1, d)
    yield F.when(i.isNull(), 0).otherwise(F.when(i > 0, 1).otherwise(-1)) + 1
    yield from (col("st.x"), col("st")["x"], col("st").getField("y z"), col("st.`y z`"), col("st").getItem("x"))
    yield from (
        col("m").getItem("k"),
        F.array(i, i)[0],
        F.array(i, i).getItem(1),
        col("m")["k"],
        col("m")["it's"],
        col("m").getItem("l"),
    )
    yield from (col("`a.b`"), col("`q``t`"), col("sp ace"), col("t.i"), col("t.st.x"), col("t.`a.b`") + col("t.sp ace"))
    yield from (i.alias("other"), (i + 1).alias("x y"), F.expr("i + 1") * 2, F.expr("CASE WHEN i = 1 THEN 'x' END"))
    yield from (F.expr("s -- comment"), F.expr("i > 0 OR b") & F.col("b"), F.struct("i", s.alias("t u")), F.array(i, i))
    yield from (F.create_map(F.lit("k"), i), F.col("i") + F.col("I"), F.concat(s, F.lit("-"), s), F.lit("3") + F.lit(1))


def _calls() -> dict[str, Any]:
    """A Column for each function, by the function's name in SQL."""
    from pyspark.sql import functions as F

    i, s, d, n, day, at, arr, m, w = (F.col(name) for name in ("i", "s", "d", "n", "day", "at", "arr", "m", "w"))
    arr2, j, b = F.col("arr2"), F.col("j"), F.col("b")
    of_one: dict[str, Callable[..., Any]] = {name: getattr(F, name) for name in _OF_A_NUMBER if hasattr(F, name)}
    found: dict[str, Any] = {name: function(d) for name, function in of_one.items()}
    found |= {name: getattr(F, name)(s) for name in _OF_A_TEXT}
    found |= {name: getattr(F, name)(at) for name in _OF_A_TIME}
    found |= {name: getattr(F, name)(arr) for name in _OF_AN_ARRAY}
    found |= {name: getattr(F, name)(arr, arr2) for name in _OF_ARRAYS}
    found |= {name: getattr(F, name)(m) for name in ("map_entries", "map_keys", "map_values")}
    found |= {name: getattr(F, name)(i, i) for name in ("try_add", "try_multiply", "try_subtract", "try_divide")}
    return found | {
        "add_months": F.add_months(day, 1),
        "array": F.array(i, F.lit(2)),
        "array_append": F.array_append(arr, i),
        "array_contains": F.array_contains(arr, 1),
        "array_join": F.array_join(F.array(s, w), "-", "none"),
        "array_position": F.array_position(arr, 1),
        "array_remove": F.array_remove(arr, 1),
        "array_repeat": F.array_repeat(s, 2),
        "atan2": F.atan2(d, i),
        "bin": F.bin(i),
        "bit_count": F.bit_count(i),
        "btrim": F.btrim(w, F.lit(" i")),
        "ceil": F.ceil(n),
        "chr": F.chr(F.lit(65)),
        "coalesce": F.coalesce(i, F.lit(0)),
        "concat": F.concat(s, w),
        "concat_ws": F.concat_ws(", ", s, w),
        "contains": F.contains(s, F.lit("b")),
        "conv": F.conv(F.lit("ff"), 16, 10),
        "current_date": F.current_date() >= day,
        "current_timestamp": F.current_timestamp() >= at,
        "date_add": F.date_add(day, 3),
        "date_diff": F.date_diff(day, F.lit("2020-01-01").cast("date")),
        "date_format": F.date_format(at, "yyyy-MM-dd''HH"),
        "date_sub": F.date_sub(day, i),
        "date_trunc": F.date_trunc("month", at),
        "datediff": F.datediff(day, at),
        "decode": F.decode(F.col("bin"), "iso-8859-1"),
        "element_at": F.element_at(arr2, 1),
        "encode": F.encode(s, "utf-8"),
        "endswith": F.endswith(s, F.lit("c")),
        "equal_null": F.equal_null(i, F.lit(None)),
        "factorial": F.factorial(F.lit(5)),
        "find_in_set": F.find_in_set(s, F.lit("x,abc")),
        "flatten": F.flatten(F.array(arr, arr2)),
        "floor": F.floor(n),
        "format_number": F.format_number(d, 2),
        "format_string": F.format_string("%s-%d", s, i),
        "from_unixtime": F.from_unixtime(F.col("l"), "yyyy"),
        "from_utc_timestamp": F.from_utc_timestamp(at, "Asia/Tokyo"),
        "get": F.get(arr, 0),
        "get_json_object": F.get_json_object(j, "$.a"),
        "greatest": F.greatest(i, F.lit(0)),
        "hash": F.hash(i, s),
        "hex": F.hex(s),
        "hypot": F.hypot(d, d),
        "ifnull": F.ifnull(i, F.lit(0)),
        "instr": F.instr(s, "b"),
        "last_day": F.last_day(day),
        "least": F.least(i, F.lit(0)),
        "left": F.left(s, F.lit(2)),
        "levenshtein": F.levenshtein(s, w),
        "locate": F.locate("b", s, 1),
        "log": F.log(2.0, d),
        "lpad": F.lpad(s, 5, "*"),
        "make_date": F.make_date(F.lit(2020), F.lit(1), F.lit(2)),
        "map": F.create_map(F.lit("k"), i),
        "map_concat": F.map_concat(m, F.create_map(F.lit("z"), F.lit(1))),
        "map_contains_key": F.map_contains_key(m, "k"),
        "map_from_arrays": F.map_from_arrays(F.array(F.lit(1)), F.array(s)),
        "months_between": F.months_between(day, F.lit("2020-01-01").cast("date")),
        "named_struct": F.named_struct(F.lit("x"), i, F.lit("y"), s),
        "nanvl": F.nanvl(d, F.lit(0.0)),
        "negative": F.negative(i),
        "next_day": F.next_day(day, "Mon"),
        "nullif": F.nullif(i, F.lit(1)),
        "nvl": F.nvl(i, F.lit(0)),
        "nvl2": F.nvl2(i, F.lit(1), F.lit(0)),
        "overlay": F.overlay(s, F.lit("Z"), F.lit(2)),
        "pmod": F.pmod(i, F.lit(3)),
        "power": F.pow(d, F.lit(2)),
        "regexp_extract": F.regexp_extract(s, "(b)(c)", 1),
        "regexp_replace": F.regexp_replace(s, "\\w", "\\\\."),
        "repeat": F.repeat(s, 2),
        "replace": F.replace(s, F.lit("b"), F.lit("'")),
        "right": F.right(s, F.lit(2)),
        "round": F.round(n, 1),
        "rpad": F.rpad(s, 5, "*"),
        "sequence": F.sequence(F.lit(1), F.lit(3)),
        "sha2": F.sha2(s, 256),
        "shiftleft": F.shiftleft(i, 2),
        "shiftright": F.shiftright(i, 1),
        "slice": F.slice(arr, 1, 2),
        "sort_array": F.sort_array(arr, False),
        "split": F.split(s, "[bx]", -1),
        "split_part": F.split_part(s, F.lit("b"), F.lit(1)),
        "startswith": F.startswith(s, F.lit("a")),
        "struct": F.struct(i, s),
        "substr": F.substr(s, F.lit(2), F.lit(1)),
        "substring": F.substring(s, 2, 1),
        "substring_index": F.substring_index(s, "b", 1),
        "timestamp_micros": F.timestamp_micros(F.col("l")),
        "timestamp_millis": F.timestamp_millis(F.col("l")),
        "timestamp_seconds": F.timestamp_seconds(F.col("l")),
        "to_date": F.to_date(F.lit("02.01.2020"), "dd.MM.yyyy"),
        "to_timestamp": F.to_timestamp(F.lit("2020-01-02 03"), "yyyy-MM-dd HH"),
        "to_unix_timestamp": F.to_unix_timestamp(F.lit("2020-01-02"), F.lit("yyyy-MM-dd")),
        "to_utc_timestamp": F.to_utc_timestamp(at, "Asia/Tokyo"),
        "translate": F.translate(s, "ab", "xy"),
        "trunc": F.trunc(day, "month"),
        "try_to_timestamp": F.try_to_timestamp(F.lit("nothing")),
        "typeof": F.typeof(n),
        "unbase64": F.unbase64(F.lit("YWI=")),
        "unhex": F.unhex(F.lit("6162")),
        "unix_date": F.unix_date(day),
        "unix_timestamp": F.unix_timestamp(at),
        "xxhash64": F.xxhash64(i, s, b),
        "isnan": F.isnan(d),
        "isnull": F.isnull(i),
        "isnotnull": F.isnotnull(i),
    }


_OF_A_NUMBER = """abs acos asin atan cbrt cos cosh degrees exp expm1 ln log10 log1p log2 radians rint sign signum sin
sinh sqrt tan tanh""".split()  # noqa: SIM905
_OF_A_TEXT = """ascii base64 bit_length char_length crc32 initcap lcase length lower ltrim md5 octet_length reverse
rtrim sha1 soundex trim upper""".split()  # noqa: SIM905
_OF_A_TIME = """day dayofmonth dayofweek dayofyear hour minute month quarter second unix_micros unix_millis unix_seconds
weekday weekofyear year""".split()  # noqa: SIM905
_OF_AN_ARRAY = [
    "array_compact",
    "array_distinct",
    "array_max",
    "array_min",
    "array_size",
    "array_sort",
    "cardinality",
    "size",
]
_OF_ARRAYS = ["array_except", "array_intersect", "array_union", "arrays_overlap", "arrays_zip"]
