"""Golden files over a session that writes canned commits: what is recorded, compared, accepted and refused."""

from __future__ import annotations

import io
import json
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import NoGoldenFilesError, TableNotFoundError, UnknownDirectiveError
from deltasql.base.errors.base import Caret
from deltasql.clients.golden import GoldenOutcome, discover, run_file
from deltasql.clients.golden.compare import GeneratedValues, Normalizer, difference, masked
from deltasql.clients.golden.log_changes import LogWatch
from deltasql.clients.golden.parallel import run_suite
from deltasql.clients.golden.record import is_ordered, read_script
from deltasql.files.result import CommandRows, Result
from deltasql.schema import types as t

NUMBERS = t.StructType((t.StructField("n", t.LONG), t.StructField("s", t.STRING)))


def schema(*names: str) -> str:
    fields = [{"name": name, "type": "integer", "nullable": True, "metadata": {}} for name in names]
    return json.dumps({"type": "struct", "fields": fields})


def metadata(*names: str, **more: Any) -> dict[str, Any]:
    return {"metaData": {"id": str(uuid.uuid4()), "schemaString": schema(*names), **more}}


def commit(table: Path, version: int, *actions: dict[str, Any]) -> None:
    log = table / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    (log / f"{version:020}.json").write_text("\n".join(json.dumps(action) for action in actions) + "\n")


class Lazy(CommandRows):
    """Rows that count as a query's."""


class Canned:
    """A session that knows a handful of statements."""

    def __init__(self, warehouse: str) -> None:
        self.warehouse = Path(warehouse)
        self.spark_started = False
        self.seen: list[str] = []
        self.closed = False

    def sql(self, text: str) -> Result:
        self.seen.append(text)
        match text.split(maxsplit=1)[0].upper():
            case "CREATE":
                info = {"commitInfo": {"operation": "CREATE TABLE", "operationParameters": {"isManaged": "true"}}}
                protocol = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
                commit(self.warehouse / "t", 0, info, protocol, metadata("a"))
            case "ALTER":
                commit(self.warehouse / "t", 1, {"commitInfo": {"operation": "ADD COLUMNS"}}, metadata("a", "b"))
            case "SELECT" | "WITH":
                self.spark_started = True
                return query([(2, "b"), (1, f"{self.warehouse}/t"), (3, None)])
            case "DESCRIBE":
                return Result.of(NUMBERS, [(2, "x"), (1, f"{self.warehouse}/t/part-0-{uuid.uuid4()}.parquet")])
            case "MISS":
                error = TableNotFoundError(table=f"delta.`{self.warehouse}/x`", advice="")
                raise error.at(Caret(text, 5, 6))
            case "BUG":
                raise ValueError("unexpected")
        return Result.of(version=1)

    def close(self) -> None:
        assert self.seen[0] == "SET spark.sql.session.timeZone = UTC"
        assert self.seen[-1] == "RESET"
        self.closed = True


def query(rows: Sequence[tuple[Any, ...]]) -> Result:
    class Query(Result):
        @property
        def is_query(self) -> bool:
            return True

    return Query(Lazy(NUMBERS, rows))


def golden(tmp_path: Path, sql: str, expected: str | None = None) -> GoldenOutcome:
    path = tmp_path / "x.sql"
    path.write_text(sql)
    if expected is not None:
        path.with_suffix(".out").write_text(expected)
    return run_file(path, Canned)  # type: ignore[arg-type]


def test_commits_and_schema_changes_are_recorded(tmp_path: Path) -> None:
    outcome = golden(tmp_path, "-- name: a table\nCREATE TABLE t (a INT);\n\nALTER TABLE t ADD COLUMN b INT;\n")
    assert (
        outcome.actual
        == """\
-- statement: a table
CREATE TABLE t (a INT)
-- schema: (none)
-- log of t, version 0
operation CREATE TABLE
  isManaged: true
protocol reader 1, writer 2
metaData <uuid-1>
  root
   |-- a: integer (null)

-- statement
ALTER TABLE t ADD COLUMN b INT
-- schema: (none)
-- schema change of t
  |-- a: integer (null)
+ |-- b: integer (null)
-- log of t, version 1
operation ADD COLUMNS
metaData <uuid-2>
  root
   |-- a: integer (null)
   |-- b: integer (null)
"""
    )
    assert outcome.statements == 2


def test_rows_of_a_query_are_sorted_unless_ordered_or_told(tmp_path: Path) -> None:
    sql = "SELECT 1;\nSELECT 2 ORDER BY 1;\n-- sort: off\nSELECT 3;\nDESCRIBE t;"
    blocks = golden(tmp_path, sql).actual.split("\n\n")
    rows = [[line.split(" | ")[0] for line in block.splitlines() if " | " in line] for block in blocks]
    assert rows == [["1", "2", "3"], ["2", "1", "3"], ["2", "1", "3"], ["2", "1"]]
    assert "-- schema: n:bigint, s:string\n1 | $WAREHOUSE/t\n2 | b\n3 | NULL\n" in blocks[0] + "\n"
    assert "1 | $WAREHOUSE/t/part-0-<uuid-1>.parquet" in blocks[3]


def test_errors_are_recorded_with_their_place(tmp_path: Path) -> None:
    outcome = golden(tmp_path, "MISS t;\nMISS delta.`${WAREHOUSE}/x`")
    first, second = outcome.actual.split("\n\n")
    assert first.endswith(
        "-- error TABLE_OR_VIEW_NOT_FOUND 42P01\nThere is no table delta.`$WAREHOUSE/x`.\n"
        "== SQL (line 1, position 6) ==\nMISS t\n     ^"
    )
    assert "MISS delta.`${WAREHOUSE}/x`" in second
    assert "^" not in second
    assert not outcome.defects


def test_a_defect_of_the_program_is_never_accepted(tmp_path: Path) -> None:
    outcome = golden(tmp_path, "BUG;")
    assert outcome.defects == ("ValueError: unexpected",)
    again = golden(tmp_path, "BUG;", outcome.actual)
    assert again.expected == again.actual
    assert not again.ok


def test_a_promise_of_no_jvm_is_checked(tmp_path: Path) -> None:
    assert golden(tmp_path, "-- expect: no jvm\n\nALTER TABLE t;").defects == ()
    assert "started Spark" in golden(tmp_path, "-- expect: no jvm\nSELECT 1;").defects[0]


def test_log_can_be_left_out_for_one_statement_or_the_file(tmp_path: Path) -> None:
    one = golden(tmp_path, "-- log: off\nCREATE TABLE t;\nALTER TABLE t;").actual
    assert one.count("-- log of") == 1
    both = golden(tmp_path, "-- About it.\n-- log: off\n\nCREATE TABLE t;\nALTER TABLE t;").actual
    assert both.count("-- log of") == 0
    assert both.count("-- schema change") == 1


def test_comments_in_front_of_a_statement_are_not_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "x.sql"
    path.write_text("-- About the file.\n\n-- why\n-- name: it\nSELECT 1 -- inside\n+ 1;\n-- the end\n")
    script = read_script(path)
    assert [(item.text, item.options.name) for item in script.statements] == [("SELECT 1 -- inside\n+ 1", "it")]


@pytest.mark.parametrize("directive", ["-- expect: jvm", "-- log: maybe", "-- sort: ascending"])
def test_a_directive_without_effect_is_refused(tmp_path: Path, directive: str) -> None:
    with pytest.raises(UnknownDirectiveError) as refused:
        golden(tmp_path, f"SELECT 1;\n{directive}\nSELECT 2")
    assert refused.value.line == 2


def test_discover(tmp_path: Path) -> None:
    for name in ("b.sql", "a/c.sql", "a/c.out", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert [path.name for path in discover(tmp_path)] == ["c.sql", "b.sql"]
    assert [path.name for path in discover(str(tmp_path), "a/")] == ["c.sql"]
    assert discover(tmp_path / "b.sql") == [tmp_path / "b.sql"]
    for place, only in ((tmp_path / "none", ""), (tmp_path, "zzz")):
        with pytest.raises(NoGoldenFilesError):
            discover(place, only)


def test_a_suite_is_accepted_then_passes_then_fails(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_text("-- name: first\nSELECT 1;\nALTER TABLE t;\n")

    def run(**options: Any) -> tuple[bool, str]:
        out = io.StringIO()
        return run_suite(tmp_path, sessions=Canned, out=out, **options), out.getvalue()  # type: ignore[arg-type]

    same, text = run()
    assert not same
    assert "no .out file yet" in text
    same, text = run(accept=True)
    assert same
    assert text.endswith("1 file: 0 passed, 0 failed, 1 rewritten\n")
    same, text = run()
    assert same
    assert text.endswith("1 file: 1 passed, 0 failed\n")
    output = tmp_path / "x.out"
    output.write_text(output.read_text().replace("2 | b", "2 | c"))
    same, text = run()
    assert not same
    assert f"{tmp_path / 'x.sql'}:2: first\n" in text
    assert "-2 | c\n+2 | b\n" in text
    assert "ALTER" not in text
    assert text.endswith("1 file: 0 passed, 1 failed\n")


def test_the_difference_is_told_per_statement() -> None:
    old = "-- statement\nA\n-- schema: x\n1\n\n-- statement: b\nB\n-- schema: x\n2\n"
    new = "-- statement: b\nB\n-- schema: x\n3\n\n-- statement: c\nC\n-- schema: x\n4\n"
    text = difference(old, new)
    assert text.splitlines()[0] == "@@ A (only in the golden file)"
    assert "@@ b\n -- statement: b" in text
    assert "-2\n+3" in text
    assert "--- schema: x\n" in text
    assert "+-- schema: x\n" in text
    assert "@@ c (new)" in text
    assert difference(old, old) == ""


def test_a_table_that_takes_the_place_of_another_starts_again(tmp_path: Path) -> None:
    watch = LogWatch(tmp_path)
    commit(tmp_path / "t", 0, metadata("a"))
    commit(tmp_path / "t", 1, metadata("b"))
    assert [version for version, _ in watch.look()[0].commits] == [0, 1]
    assert watch.look() == []
    for path in (tmp_path / "t" / "_delta_log").iterdir():
        path.unlink()
    commit(tmp_path / "t", 0, metadata("c"))
    seen = watch.look()[0]
    assert ([version for version, _ in seen.commits], seen.schema_change) == ([0], [])


def test_every_action_has_its_line(tmp_path: Path) -> None:
    file = {"path": "x", "partitionValues": {"p": "1", "a": None}, "stats": '{"numRecords": 2}', "dataChange": False}
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "writerFeatures": ["b", "a"], "readerFeatures": []}
    metrics = {"numFiles": "1", "numAddedBytes": "9", "executionTimeMs": "3"}
    commit(
        tmp_path / "t",
        0,
        {"add": file},
        {"add": {**file, "path": "y"}},
        {"remove": {"path": "z", "deletionVector": {"cardinality": 3}}},
        {"cdc": {"path": "c", "dataChange": False}},
        {"txn": {"appId": "app", "version": 4}},
        {"domainMetadata": {"domain": "delta.x", "configuration": "{}", "removed": False}},
        {"domainMetadata": {"domain": "delta.y", "configuration": "{}", "removed": True}},
        {"protocol": protocol},
        metadata("a", name="n", partitionColumns=["p"], configuration={"k": "v"}),
        {"commitInfo": {"operation": "X", "operationParameters": {"k": ["v"]}, "operationMetrics": metrics}},
    )
    lines = LogWatch(tmp_path).look()[0].commits[0][1]
    assert [line for line in lines if not line.startswith(("metaData", "  root", "   |"))] == [
        "operation X",
        '  k: ["v"]',
        "  metrics: numFiles=1",
        "protocol reader 3, writer 7",
        "  readerFeatures: ",
        "  writerFeatures: a, b",
        "  name: n",
        "  partitionColumns: p",
        "  k = v",
        "txn app 4",
        "domainMetadata delta.x: {}",
        "domainMetadata delta.y: removed",
        "add a=NULL, p=1, 2 records, no data change (×2)",
        "cdc",
        "remove deletion vector of 3",
    ]


def test_nested_schemas_show_their_metadata() -> None:
    from deltasql.clients.golden.log_changes import schema_lines

    inner = {"type": "struct", "fields": [{"name": "x", "type": "long", "nullable": False, "metadata": {"id": 1}}]}
    array = {"type": "array", "elementType": inner, "containsNull": True}
    kind = {"type": "map", "keyType": "string", "valueType": array, "valueContainsNull": True}
    tree = schema_lines(json.dumps({"fields": [{"name": "m", "type": kind, "nullable": True, "metadata": {}}]}))
    assert list(tree) == [
        "root",
        " |-- m: map (null)",
        " |    |-- key: string",
        " |    |-- value: array",
        " |    |    |-- element: struct",
        ' |    |    |    |-- x: long (not null) {"id": 1}',
    ]


def test_placeholders() -> None:
    normal = Normalizer("/tmp/wh")
    now = time.time()
    near = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now))
    nanoseconds = f"{now % 1:.9f}".partition(".")[2]
    one, two = str(uuid.uuid4()), str(uuid.uuid4())
    normal.learn(GeneratedValues(frozenset({one, two}), frozenset()))
    text = f"file:///tmp/wh/t file:/tmp/wh /tmp/wh {one} {two} {one} {near}.{nanoseconds} {near}Z {int(now * 1000)}"
    assert normal.text(text) == ("$WAREHOUSE/t $WAREHOUSE $WAREHOUSE <uuid-1> <uuid-2> <uuid-1> <time> <time> <ms>")
    kept = "2020-01-01 00:00:00 1577836800000 2020-99-99 00:00:00"
    assert normal.text(kept) == kept


def test_masks_hide_measures_of_commands_only() -> None:
    texts = t.MapType(t.STRING, t.STRING)
    assert masked({"size": "XL"}, texts, "properties") == {"size": "XL"}
    assert masked({"numFiles": "1", "scanTimeMs": "5"}, texts, "operationMetrics") == {
        "numFiles": "1",
        "scanTimeMs": "<scanTimeMs>",
    }
    assert masked(5, t.LONG, "sizeInBytes") == "<sizeInBytes>"
    assert masked(None, t.LONG, "sizeInBytes") is None
    added = t.StructType((t.StructField("min", t.LONG), t.StructField("totalFiles", t.LONG)))
    assert masked((1, 2), added, "filesAdded") == ["<min>", 2]
    assert masked(["x"], t.ArrayType(t.STRING), "tableFeatures") == ["x"]


@pytest.mark.parametrize(
    ("sql", "ordered"),
    [
        ("SELECT 1 ORDER  BY a", True),
        ("SELECT * FROM (SELECT 1 ORDER BY a)", False),
        ("SELECT row_number() OVER (PARTITION BY (a) ORDER BY b)", False),
        ("SELECT 'order by' -- order by x", False),
        ("SELECT `order by` /* order by */ FROM t SORT BY a", True),
    ],
)
def test_which_queries_are_ordered(sql: str, ordered: bool) -> None:
    assert is_ordered(sql) is ordered
