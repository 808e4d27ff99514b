"""What golden files hide: what logs and the run have made up, never a value of the user's."""

from __future__ import annotations

import datetime as dt
import io
import json
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import GoldenMaskError, UnknownDirectiveError
from deltasql.clients.golden import GoldenOutcome, run_file
from deltasql.clients.golden.compare import GeneratedValues, Normalizer, generated_values
from deltasql.clients.golden.parallel import run_suite
from deltasql.files.result import CommandRows, Result
from deltasql.schema import types as t

NAMED = t.StructType((t.StructField("id", t.STRING), t.StructField("n", t.LONG)))
MOMENTS = t.StructType((t.StructField("at", t.TIMESTAMP), t.StructField("day", t.DATE)))
KEY = "6f1e8a52-90b1-4c3c-9d57-0a8e4b2f7d11"


class Keys:
    """A session whose queries give the rows in `given`, or those that it makes of the time it is now."""

    spark_started = False
    given: Sequence[Any] = ()
    schema = NAMED

    def __init__(self, warehouse: str) -> None:
        self.warehouse = Path(warehouse)

    def sql(self, text: str) -> Result:
        rows = [row(dt.datetime.now(dt.timezone.utc)) if callable(row) else row for row in self.given]
        return query(self.schema, rows) if text.startswith("SELECT") else Result.of()

    def close(self) -> None:
        pass


def query(schema: t.StructType, rows: Sequence[Any]) -> Result:
    class Query(Result):
        @property
        def is_query(self) -> bool:
            return True

    return Query(CommandRows(schema, rows))


def run(tmp_path: Path, sql: str, rows: Sequence[Any] = (), schema: t.StructType = NAMED) -> GoldenOutcome:
    path = tmp_path / "x.sql"
    path.write_text(sql)
    session = type("Session", (Keys,), {"given": rows, "schema": schema})
    return run_file(path, session)


def real(tmp_path: Path, sql: str) -> GoldenOutcome:
    path = tmp_path / "x.sql"
    path.write_text(sql)
    return run_file(path)


def test_a_changed_key_of_the_data_fails_the_file(tmp_path: Path) -> None:
    first = run(tmp_path, "SELECT * FROM t", [(KEY, 1)])
    assert f"{KEY} | 1" in first.actual
    first.accept()
    assert run(tmp_path, "SELECT * FROM t", [(KEY, 1)]).ok
    assert not run(tmp_path, "SELECT * FROM t", [(str(uuid.uuid4()), 1)]).ok


def test_a_comment_with_a_clock_and_an_id_is_recorded_as_it_is(tmp_path: Path) -> None:
    now = f"{dt.datetime.now(dt.timezone.utc):%Y-%m-%d %H:%M:%S}"
    stamp = str(int(time.time() * 1000))
    text = f"checked on {now} by {KEY}, {stamp}"
    sql = f"CREATE TABLE t (id INT COMMENT '{text}') COMMENT '{text}' TBLPROPERTIES ('by' = '{KEY}', 'size' = 'XL');"
    outcome = real(tmp_path, f"{sql}\nDESCRIBE DETAIL t;\nDESCRIBE HISTORY t;")
    assert outcome.actual.count(text) > sql.count(text)
    assert f"  by = {KEY}\n" in outcome.actual
    assert f"{{by -> {KEY}, size -> XL}} " in outcome.actual
    assert "metaData <uuid-1>" in outcome.actual
    assert "$WAREHOUSE/t | <time> | <time>" in outcome.actual
    assert not outcome.warnings


def test_a_literal_near_today_is_recorded_as_it_is(tmp_path: Path) -> None:
    now = dt.datetime.now(dt.timezone.utc).replace(microsecond=0)
    for moment in (now, now + dt.timedelta(hours=1), now - dt.timedelta(days=1)):
        outcome = run(tmp_path, f"SELECT timestamp'{moment:%Y-%m-%d %H:%M:%S}'", [(moment, None)], MOMENTS)
        assert f"\n{moment:%Y-%m-%d %H:%M:%S} | NULL\n" in outcome.actual
        assert not outcome.warnings


@pytest.mark.parametrize(
    ("sql", "row", "schema", "why"),
    [
        ("SELECT current_date()", lambda now: (None, now.date()), MOMENTS, "the time of this run"),
        ("SELECT now()", lambda now: (now, None), MOMENTS, "the time of this run"),
        ("SELECT current_timestamp", lambda now: (now, None), MOMENTS, "the time of this run"),
        ("SELECT * FROM written_with_now", lambda now: (now, None), MOMENTS, "the time of this run"),
        ("SELECT uuid()", lambda _: (str(uuid.uuid4()), 1), NAMED, "an id that is new in every run"),
        ("SELECT Rand( )", lambda _: ("0.5", 1), NAMED, "a random function"),
    ],
)
def test_a_value_of_this_run_is_shown_and_warned_of(
    tmp_path: Path, sql: str, row: Any, schema: t.StructType, why: str
) -> None:
    outcome = run(tmp_path, f"SELECT 1;\n{sql}", [row], schema)
    assert "<time>" not in outcome.actual
    assert why in outcome.warnings[-1]
    assert outcome.warnings[-1].startswith("line 2: ")
    assert not run(tmp_path, f"-- mask: none\n\n{sql}", [row], schema).warnings


@pytest.mark.parametrize("sql", ["SELECT 'rand()' -- uuid()", "SELECT rand FROM t", "SELECT `uuid()` FROM t"])
def test_no_warning_for_names_and_texts(tmp_path: Path, sql: str) -> None:
    assert not run(tmp_path, sql, [(KEY, 1)]).warnings


def test_columns_and_patterns_are_masked_for_a_statement(tmp_path: Path) -> None:
    sql = "-- mask: ID\nSELECT uuid();\n-- mask: /[0-9a-f]{8}-\\S+/\nSELECT uuid();\nSELECT 2"
    blocks = run(tmp_path, sql, [(KEY, 1), (None, 2)]).actual.split("\n\n")
    assert blocks[0].endswith("<id> | 1\nNULL | 2")
    assert blocks[1].endswith("<masked> | 1\nNULL | 2")
    assert blocks[2].endswith(f"{KEY} | 1\nNULL | 2\n")


def test_a_mask_in_the_first_paragraph_holds_for_the_file(tmp_path: Path) -> None:
    outcome = run(tmp_path, "-- mask: id, other\n\nSELECT 1;\nSELECT uuid()", [(KEY, 1)])
    assert outcome.actual.count("<id> | 1") == 2
    assert not outcome.defects
    assert not outcome.warnings


def test_a_pattern_hides_in_logs_and_errors_too(tmp_path: Path) -> None:
    sql = (
        "-- mask: /batch [0-9]+/\n\nCREATE TABLE t (a INT) COMMENT 'batch 17';\n"
        "ALTER TABLE t DROP CONSTRAINT `batch 18`;"
    )
    outcome = real(tmp_path, sql)
    recorded = "\n".join(line for line in outcome.actual.splitlines() if "TABLE t" not in line and "^" not in line)
    assert "description: <masked>" in recorded
    assert "batch 1" not in recorded


def test_a_mask_that_hides_nothing_is_a_defect(tmp_path: Path) -> None:
    outcome = run(tmp_path, "-- mask: nope\nSELECT 1", [(KEY, 1)])
    assert outcome.defects == ("'-- mask: nope' hides nothing: the result has id, n.",)
    out = io.StringIO()
    assert not run_suite(tmp_path, sessions=type("Session", (Keys,), {}), accept=True, out=out)
    assert "--accept" not in out.getvalue()


def test_a_pattern_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GoldenMaskError, match=r"INVALID_GOLDEN_MASK.*line 2"):
        run(tmp_path, "SELECT 1;\n-- mask: /[/\nSELECT 1")
    for wrong in ("-- mask:", "-- mask: /x", "-- masks: id"):
        with pytest.raises(UnknownDirectiveError):
            run(tmp_path, f"{wrong}\nSELECT 1")


def test_an_old_file_is_told_how_to_renew_it(tmp_path: Path) -> None:
    outcome = run(tmp_path, "SELECT 1", [(KEY, 1)])
    old = tmp_path / "x.out"
    old.write_text(outcome.actual.replace(KEY, "<uuid-1>"))
    out = io.StringIO()
    session = type("Session", (Keys,), {"given": [(KEY, 1)]})
    assert not run_suite(tmp_path, sessions=session, out=out)
    assert "     The .out file hides values of your data, as earlier versions did. Run with --accept" in out.getvalue()
    old.write_text(old.read_text().replace("| 1", "| 2"))
    assert not run(tmp_path, "SELECT 1", [(KEY, 1)]).is_outdated


def test_warnings_are_told_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_text("SELECT uuid()")
    session = type("Session", (Keys,), {"given": [(KEY, 1)]})
    out = io.StringIO()
    assert run_suite(tmp_path, sessions=session, accept=True, out=out)
    assert "     warning: line 1: the next run will differ, for it tells an id" in out.getvalue()


def test_what_a_log_makes_up() -> None:
    ids = [str(uuid.uuid4()) for _ in range(8)]
    mapped = {"name": "m", "metadata": {"delta.columnMapping.physicalName": f"col-{ids[1]}", "comment": KEY}}
    inner = {"type": "struct", "fields": [mapped]}
    array = {"type": "array", "elementType": inner}
    fields = [{"name": "a", "type": array, "metadata": {}}]
    key = "delta.rowTracking.materializedRowIdColumnName"
    actions: list[dict[str, Any]] = [
        {
            "metaData": {
                "id": ids[0],
                "name": KEY,
                "description": KEY,
                "schemaString": json.dumps({"type": "struct", "fields": fields}),
                "configuration": {key: f"_row-id-col-{ids[2]}", "owner": KEY},
                "createdTime": 1,
            }
        },
        {"add": {"path": f"k={KEY}/part-0-{ids[3]}.parquet", "partitionValues": {"k": KEY}, "modificationTime": 2}},
        {"remove": {"path": f"part-0-{ids[4].upper()}.parquet", "deletionTimestamp": 3}},
        {"commitInfo": {"txnId": ids[5], "timestamp": 4, "userMetadata": KEY, "operationParameters": {"x": KEY}}},
        {"txn": {"appId": ids[6], "version": 1}},
        {"protocol": {}},
    ]
    found = generated_values(actions)
    assert found.ids == set(ids[:7])
    assert found.clocks == {1, 2, 3, 4}


def test_rows_of_a_query_hide_clocks_of_the_log_alone() -> None:
    normal = Normalizer("/tmp/wh")
    known = dt.datetime(2026, 1, 2, 3, 4, 5, 678000, dt.timezone.utc)
    normal.learn(GeneratedValues(frozenset(), frozenset({int(known.timestamp() * 1000)})))
    assert normal.text("2026-01-02 03:04:05.678 2026-01-02 03:04:05.679", of_query=True) == (
        "<time> 2026-01-02 03:04:05.679"
    )
    assert normal.text("2026-01-02 05:04:05.678", "+02:00", of_query=True) == "<time>"
    now = f"{dt.datetime.now(dt.timezone.utc):%Y-%m-%d %H:%M:%S.%f} {int(time.time() * 1000)}"
    assert normal.text(now, of_query=True) == now
    assert normal.text(now) == "<time> <ms>"
