"""Functions by the types of their arguments: `python -m tests.sail.functions spark` asks Spark for all results,
and `python -m tests.sail.functions sail` writes the table of those that are the same on Sail.

The calls stand in `catalogue`. Of each query function_answers.json keeps a digest of the types and rows, or the
condition of the error; DOUBLE values count to 13 digits, and -0.0 is 0.0. A session on Sail reads the table, which is
`deltasql/engines/sail/guards/functions.json`.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha1
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from deltasql.base.session_settings import UNPROVEN
from deltasql.engines.sail.guards.guards import TABLE
from tests.sail.catalogue import AGGREGATES, GENERATORS, NUMBERS, ONE_BY_ONE, SCALARS, TEXTS, TYPES, VALUES, WINDOWS
from tests.sail.grid import plain

ANSWERS = Path(__file__).with_name("function_answers.json")
SETTINGS = ("UTC", "America/New_York", "UTC without ANSI")
"""Time zones of the session that queries are asked in."""
_CALL = re.compile(r"(\w+)\(((?:'[^']*'|[^()'])*)\)", re.DOTALL)
_ARGUMENT = re.compile(r"(?:'[^']*'|[^,'])+")
_WORDS = ("'x'", "'y'", "'A b'")
"""What a `$` stands for."""
_ROWS, _FEW_ROWS = 24, 6
"""Rows of a query, and about how many are asked one by one where it fails."""
_TIMES = {"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "near DATE"}
_OF_ZONES = re.compile(r"time|date|zone", re.IGNORECASE)


class Call(NamedTuple):
    """A line of the catalogue with one type, or one written text, for each argument.

    `signature` is what the table has: types, texts in quotes, `#`, `@…` or `$`, and `...` behind the last one where it
    may be repeated.
    """

    function: str
    signature: tuple[str, ...]
    arguments: tuple[str, ...]
    kinds: tuple[str, ...]
    form: str

    @property
    def key(self) -> str:
        return f"{self.function}({', '.join(self.arguments)}) of {', '.join(self.kinds)}{self.form}"


Variant = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A function, its signature, and its arguments as they are written."""


class Query(NamedTuple):
    """Calls over the same rows, with one of SETTINGS."""

    calls: list[Call]
    rows: list[tuple[str, ...]]
    settings: str

    def sql(self, calls: Sequence[Call], rows: Sequence[tuple[str, ...]]) -> list[str]:
        """The queries of some calls over some rows."""
        names = [f"a{at}" for at in range(len(rows[0]))]
        values = ", ".join(f"({', '.join((str(at), *row))})" for at, row in enumerate(rows))
        over = f"FROM VALUES {values} AS v({', '.join(['i', *names])})"
        texts = [f"{call.function}({', '.join(call.arguments)})" for call in calls]
        match calls[0].form:
            case "aggregate":
                listed = ", ".join(texts)
                return [f"SELECT {listed} {over}", f"SELECT {listed} {over} GROUP BY i ORDER BY i"]
            case "window":
                listed = ", ".join(
                    f"{text} OVER (ORDER BY i), {text} OVER (PARTITION BY i % 2 ORDER BY i)" for text in texts
                )
                return [f"SELECT {listed} {over} ORDER BY i"]
            case _:
                # Without an order: Spark computes such rows while it plans, and keeps them as they are listed.
                return [f"SELECT {', '.join(texts)} {over}"]


def queries() -> Iterator[Query]:
    """The whole grid."""
    for form, lines in (("", SCALARS), ("aggregate", AGGREGATES), ("window", WINDOWS), ("generator", GENERATORS)):
        for function, arguments in _CALL.findall(lines):
            yield from _queries(form, function, [text.strip() for text in _ARGUMENT.findall(arguments)])


def _queries(form: str, function: str, specs: Sequence[str]) -> Iterator[Query]:
    plain_specs = [spec.removesuffix("...2").removesuffix("...") for spec in specs]
    more = specs[-1][len(plain_specs[-1]) :] if specs else ""
    if function == "count" and specs == ["*"]:
        yield Query([Call("count", ("*",), ("*",), ("INT",), form)], [("1",), ("NULL",)], SETTINGS[0])
        yield Query([Call("count", ("*",), ("*",), ("INT",), form)], [("1",), ("NULL",)], SETTINGS[2])
        return
    for kinds in product(*(_kinds(spec) for spec in plain_specs if _is_typed(spec))):
        typed = tuple(kinds[0] if kind == "=" else kind for kind in kinds)
        calls = list(_calls(form, function, plain_specs, typed, more))
        rows = _chosen(list(product(*([*VALUES[kind], *(["NULL"] if kind != "VOID" else [])] for kind in typed))))
        has_zones = {*typed} & _TIMES or _OF_ZONES.search(function)
        for settings in SETTINGS if has_zones else (SETTINGS[0], SETTINGS[2]):
            # What is written out has one column each; a generator may have one column only.
            for group in [[call] for call in calls] if form == "generator" else [calls]:
                yield Query(group, rows, settings)


def _is_typed(spec: str) -> bool:
    return spec[0] not in "'#@$"


def _kinds(spec: str) -> tuple[str, ...]:
    return ("=",) if spec == "=" else tuple(dict.fromkeys(kind for letter in spec for kind in TYPES[letter]))


def _calls(form: str, function: str, specs: Sequence[str], kinds: Sequence[str], more: str) -> Iterator[Call]:
    found, choices, signature = iter(enumerate(kinds)), list[Sequence[str]](), list[str]()
    for spec in specs:
        if _is_typed(spec):
            at, kind = next(found)
            choices.append([f"a{at}"])
            signature.append(_shown(kind))
        else:
            choices.append(_written(spec))
            signature.append(choices[-1][0] if spec[0] == "'" else spec)
    step = 2 if more == "...2" else 1 if more else 0
    for arguments in product(*choices):
        yield Call(function, (*signature, more) if more else tuple(signature), arguments, tuple(kinds), form)
    if step:
        last = [choice[0] for choice in choices]
        yield Call(function, (*signature, more), (*last, *last[-step:], *last[-step:]), tuple(kinds), form)


def _written(spec: str) -> Sequence[str]:
    match spec[0]:
        case "#":
            return NUMBERS
        case "$":
            return _WORDS
        case "@":
            return [text if "->" in text else "'" + text.replace("'", "\\'") + "'" for text in TEXTS[spec[1:]]]
    bare = spec[1:-1]
    return [bare if re.fullmatch(r"true|\d+(\.\d+)?", bare) else spec]


def _shown(kind: str) -> str:
    return kind.removeprefix("small ").removeprefix("near ")


def _chosen(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows of a large product, evenly, and those that are NULL at one place."""
    if len(rows) <= _ROWS:
        return rows
    step = len(rows) / _ROWS
    # A step that divides the number of values of one argument would leave out the others.
    found = [rows[int(at * step + at % 3) % len(rows)] for at in range(_ROWS)]
    return list(dict.fromkeys([*found, rows[-1]]))


Asked = Callable[[str, str], Any]
"""The types and rows of a query with some settings, or the condition of its error as a text with `!` in front."""


def answers(query: Query, ask: Asked) -> dict[str, list[str]]:
    """A digest for each query of each call; where one fails, for some rows one by one."""
    is_whole = query.calls[0].function not in ONE_BY_ONE
    texts = query.sql(query.calls, query.rows) if is_whole else []
    whole: list[Any] = [ask(sql, query.settings) for sql in texts] or ["!"]
    if not any(isinstance(answer, str) for answer in whole):
        columns = len(whole[0]["t"]) // len(query.calls)
        parts = ([_part(answer, at, columns) for answer in whole] for at in range(len(query.calls)))
        return {key_of(call, query): list(map(_digest, part)) for call, part in zip(query.calls, parts, strict=True)}
    if len(query.calls) > 1:
        alone = (query._replace(calls=[call]) for call in query.calls)
        return {key: found for one in alone for key, found in answers(one, ask).items()}
    # Alone a NULL would have no type.
    rows = [row for row in query.rows[:: max(1, len(query.rows) // _FEW_ROWS)] if "NULL" not in row]
    single = (sql for row in rows for sql in query.sql(query.calls, [row]))
    return {key_of(query.calls[0], query): [_digest(ask(sql, query.settings)) for sql in single]}


def key_of(call: Call, query: Query) -> str:
    """The key of a call's answer."""
    return f"{call.key} in {query.settings}"


def _part(answer: Any, at: int, columns: int) -> Any:
    first, last = at * columns, (at + 1) * columns
    return {"t": answer["t"][first:last], "r": [row[first:last] for row in answer["r"]]}


def _digest(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    text = json.dumps([answer["t"], _rounded(answer["r"])], ensure_ascii=False)
    return sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:10]


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_rounded, value))
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, str) and re.fullmatch(r"-?\d+\.\d+(e[-+]\d+)?", value):
        # A sum with 0 has no sign where it is 0.
        return f"{float(value) + 0:.13g}"
    return value


def rows_of(frame: Any) -> dict[str, Any]:
    """The types and rows of a DataFrame; an array, a map or a row as JSON has them."""
    return {"t": [field.dataType.simpleString() for field in frame.schema], "r": plain(frame.collect())}


def is_safe(kept: Sequence[str], found: Sequence[str]) -> bool:
    """Whether Sail gives what Spark gives, or fails."""
    # What fails as a whole on Sail alone was asked again, row by row.
    fails_whole = len(found) > len(kept)
    alike = len(kept) == len(found) and all(
        one == other or other.startswith("!") for one, other in zip(kept, found, strict=True)
    )
    return fails_whole or alike


def is_same(kept: Sequence[str], found: Sequence[str]) -> bool:
    """Whether Sail gives what Spark gives, or fails, and gives it at least once."""
    is_comparable = len(kept) == len(found)
    return is_comparable and is_safe(kept, found) and any(not answer.startswith("!") for answer in found)


def _spark() -> Asked:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    logging.disable(logging.ERROR)
    # Thousands of small queries: to compile each would take most of the time.
    for key, value in {
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.leafNodeDefaultParallelism": "1",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.ui.explainMode": "simple",
    }.items():
        spark.conf.set(key, value)

    def ask(sql: str, settings: str) -> Any:
        spark.conf.set("spark.sql.session.timeZone", settings.split(" ", 1)[0])
        spark.conf.set("spark.sql.ansi.enabled", str("without" not in settings).lower())
        try:
            return rows_of(spark.sql(sql))
        except PySparkException as error:
            return f"!{error.getCondition()}"
        except (OverflowError, ValueError) as error:
            return f"!{type(error).__name__}"

    return ask


def _ask_spark() -> None:
    ask, found = _spark(), dict[str, list[str]]()
    for at, query in enumerate(queries()):
        found.update(answers(query, ask))
        if at % 500 == 0:
            print(at, flush=True)
    lines = (f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(answer)}" for key, answer in found.items())
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _sail() -> tuple[Asked, Callable[[], None]]:
    from pyspark.errors import PySparkException

    import deltasql
    from deltasql.base.errors.base import DeltaSqlError

    directory = TemporaryDirectory()
    session = deltasql.connect(directory.name, engine="sail")
    session.sql("SET deltasql.compute = ENGINE")
    session.sql(f"SET {UNPROVEN.name} = ALLOW")
    now = [""]

    def ask(sql: str, settings: str) -> Any:
        if now[0] != settings:
            now[0] = settings
            session.sql(f"SET spark.sql.session.timeZone = {settings.split(' ', 1)[0]}")
            session.sql(f"SET spark.sql.ansi.enabled = {str('without' not in settings).lower()}")
        try:
            return rows_of(session.sql(sql).df)
        except (DeltaSqlError, PySparkException) as error:
            return f"!{getattr(error, 'condition', '') or type(error).__name__}"
        except (AssertionError, OverflowError, ValueError) as error:
            # A panic within Sail ends in an AssertionError of PySpark's.
            return f"!{type(error).__name__}"

    return ask, directory.cleanup


def compared_on_sail() -> Iterator[tuple[Call, str, bool]]:
    """Each call with its settings, and whether Sail gives what Spark gave."""
    kept = json.loads(ANSWERS.read_text(encoding="utf-8"))
    ask, end = _sail()
    for at, query in enumerate(queries()):
        found = answers(query, ask)
        for call in query.calls:
            key = key_of(call, query)
            yield call, query.settings, is_same(kept[key], found[key])
        if at % 500 == 0:
            print(at, flush=True)
    end()


def table(verdicts: Iterable[tuple[Call, str, bool]]) -> dict[str, dict[str, list[list[str]]]]:
    """The calls that give the same with all settings of a kind, as `functions.json` has them."""
    found: dict[str, dict[Variant, bool]] = {"ansi": {}, "without ansi": {}}
    for call, settings, same in verdicts:
        of_kind = found["without ansi" if "without" in settings else "ansi"]
        variant = (call.function, call.signature, call.arguments)
        of_kind[variant] = of_kind.get(variant, True) and same
    return {kind: _merged(_signatures(variants)) for kind, variants in found.items()}


def _signatures(variants: Mapping[Variant, bool]) -> dict[str, list[tuple[str, ...]]]:
    found = dict[str, list[tuple[str, ...]]]()
    for function, signature in dict.fromkeys((function, signature) for function, signature, _ in variants):
        bare = tuple(spec for spec in signature if not spec.startswith("..."))
        of_this = {
            arguments: same
            for (name, other, arguments), same in variants.items()
            if (name, other) == (function, signature)
        }
        base = {arguments: same for arguments, same in of_this.items() if len(arguments) == len(bare)}
        # The body of a lambda has checks of its own, and a value is the same whatever its field is called.
        is_any_enough = "$" in bare or any("->" in text for arguments in base for text in arguments)
        positive = [same for arguments, same in base.items() if "-1" not in arguments]
        if "#" in bare and all(positive) and not all(base.values()):
            found.setdefault(function, []).append(tuple("#+" if spec == "#" else spec for spec in bare))
        elif all(base.values()) or (is_any_enough and any(base.values())):
            found.setdefault(function, []).append(signature if all(of_this.values()) else bare)
        else:
            exact = [
                tuple(text if spec[0] in "#$@" else spec for spec, text in zip(bare, arguments, strict=True))
                for arguments, same in base.items()
                if same
            ]
            if exact and any(spec[0] in "#$@" for spec in bare):
                found.setdefault(function, []).extend(exact)
    return found


# Sail takes no rows of arrays of structs in VALUES.
_WIDE = (("ANY", {*TYPES["*"]} - {*TYPES["r"]}), ("ARRAY", {*TYPES["a"]}), ("MAP", {*TYPES["m"]}))


def _merged(found: Mapping[str, list[tuple[str, ...]]]) -> dict[str, list[list[str]]]:
    """Signatures with one name for all types, all arrays or all maps at a place where each of them is the same."""
    merged = dict[str, list[list[str]]]()
    for function, signatures in sorted(found.items()):
        left = list(dict.fromkeys(signatures))
        for at in range(max(map(len, left), default=0)):
            for name, kinds in _WIDE:
                left = _widened(left, at, name, kinds)
        merged[function] = list(map(list, left))
    return merged


def _widened(signatures: list[tuple[str, ...]], at: int, name: str, kinds: set[str]) -> list[tuple[str, ...]]:
    others = dict[tuple[tuple[str, ...], tuple[str, ...]], set[str]]()
    for one in signatures:
        if len(one) > at:
            others.setdefault((one[:at], one[at + 1 :]), set()).add(one[at])
    wide = {around for around, found in others.items() if kinds <= found}
    left = [
        one for one in signatures if len(one) <= at or (one[:at], one[at + 1 :]) not in wide or one[at] not in kinds
    ]
    return [*left, *((*before, name, *behind) for before, behind in wide)]


def _write_table() -> None:
    verdicts = list(compared_on_sail())
    lines = list[str]()
    for kind, functions in table(verdicts).items():
        inner = ",\n".join(f"  {json.dumps(name)}: {json.dumps(found)}" for name, found in functions.items())
        lines.append(f"{json.dumps(kind)}: {{\n{inner}\n}}")
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    differing = sorted({call.function for call, _, same in verdicts if not same})
    print(f"{sum(same for *_, same in verdicts)} of {len(verdicts)} the same; others in {' '.join(differing)}")


if __name__ == "__main__":
    _ask_spark() if sys.argv[1:] == ["spark"] else _write_table()
