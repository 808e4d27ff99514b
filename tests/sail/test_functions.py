"""Calls that run on Sail give what they give on Spark; any other is refused. DELTASQL_GRID=all asks the whole grid."""

from __future__ import annotations

import json
import os
from typing import Any

from deltasql.base.session_settings import UNPROVEN
from tests.sail.functions import ANSWERS, SETTINGS, answers, is_safe, key_of, queries
from tests.sail.process import SailProcess
from tests.sail.python_grid import ANSWERS as PYTHON_ANSWERS
from tests.sail.python_grid import calls

_EVERY = 1 if os.environ.get("DELTASQL_GRID") == "all" else 37
_REFUSED = "!UNSUPPORTED_FEATURE.SAIL"


def test_calls_give_the_results_of_spark(sail: SailProcess) -> None:
    kept = json.loads(ANSWERS.read_text(encoding="utf-8"))
    now, ordered = [""], [False]

    def ask(sql: str, settings: str) -> Any:
        if now[0] != settings:
            now[0] = settings
            sail.rows(f"SET spark.sql.session.timeZone = {settings.split(' ', 1)[0]}")
            sail.rows(f"SET spark.sql.ansi.enabled = {str('without' not in settings).lower()}")
        # Spark gives listed rows in their order, Sail in any.
        answer = sail.answer(f"{sql} ORDER BY i" if ordered[0] else sql)
        return f"!{answer['e']}" if "e" in answer else answer

    told, ran = list[str](), 0
    for query in list(queries())[::_EVERY]:
        ordered[0] = not query.calls[0].form
        found = answers(query, ask)
        for call in query.calls:
            key = key_of(call, query)
            if key in kept and not all(answer == _REFUSED for answer in found[key]):
                ran += 1
                told += [] if is_safe(kept[key], found[key]) else [key]
    ordered[0] = False
    ask("SELECT 1", SETTINGS[0])
    assert not told, "\n".join(told)
    assert ran, "no call of the sample runs on Sail"


def test_what_was_not_compared_is_refused_unless_it_is_allowed(sail: SailProcess) -> None:
    sql = "SELECT hll_sketch_estimate(hll_sketch_agg(x)) FROM VALUES (1), (2) AS v(x)"
    condition, message = sail.error(sql)
    assert condition == "UNSUPPORTED_FEATURE.SAIL"
    assert "hll_sketch_estimate" in message or "hll_sketch_agg(INT)" in message


def test_calls_that_were_not_compared_run_where_they_are_allowed(sail: SailProcess) -> None:
    sql = "SELECT bround(x, 0) IS NULL FROM VALUES (2.5D) AS v(x)"
    assert sail.error(sql)[0] == "UNSUPPORTED_FEATURE.SAIL"
    sail.rows(f"SET {UNPROVEN.name} = ALLOW")
    try:
        assert sail.rows("SELECT sha2(x, 512) IS NULL FROM VALUES ('a') AS v(x)") == [[False]]
    finally:
        sail.rows(f"RESET {UNPROVEN.name}")


def test_functions_of_python_give_the_results_of_spark(sail: SailProcess) -> None:
    """By the types of arguments and results: the same rows, or an error, where Spark has one, and where it is named."""
    kept = json.loads(PYTHON_ANSWERS.read_text(encoding="utf-8"))
    assert list(kept) == [call.key for call in calls()]
    told, ran, created = list[str](), 0, ("", "")
    for call in list(calls())[:: 1 if _EVERY == 1 else 5]:
        if created != (call.function, call.zone):
            created = (call.function, call.zone)
            sail.rows(f"SET spark.sql.session.timeZone = {call.zone}")
            if "INTERVAL" in call.function:
                assert sail.error(f"CREATE OR REPLACE FUNCTION of_python{call.function}")[0] == "UNSUPPORTED_DATATYPE"
                continue
            sail.rows(f"CREATE OR REPLACE FUNCTION of_python{call.function}")
        own = sail.answer(call.query.replace("f(", "of_python(", 1))
        if own.get("e") == "UNSUPPORTED_FEATURE.SAIL":
            continue
        ran += "r" in own
        told += [] if own == kept[call.key] or ("e" in own and "e" in kept[call.key]) else [f"{call.key}: {own}"]
    sail.rows("SET spark.sql.session.timeZone = UTC")
    assert not told, "\n".join(told)
    assert ran, "no call of the sample runs on Sail"


def test_functions_of_python_in_changes(sail: SailProcess) -> None:
    sail.rows("CREATE OR REPLACE TABLE py (id INT, v INT)")
    sail.rows("INSERT INTO py VALUES (1, 10), (2, 20), (3, NULL)")
    sail.rows("CREATE OR REPLACE FUNCTION py_twice(x INT) RETURNS INT LANGUAGE PYTHON AS $$ return x and x * 2 $$")
    sail.rows("CREATE OR REPLACE FUNCTION py_four(x INT) RETURNS INT RETURN py_twice(py_twice(x))")
    assert sail.rows("UPDATE py SET v = py_twice(v) WHERE py_four(id) = 4") == [[1]]
    assert sail.rows("DELETE FROM py WHERE py_twice(id) = 6") == [[1]]
    merge = "MERGE INTO py USING (SELECT 2 AS k UNION ALL SELECT 9) AS q ON py.id = q.k AND py_twice(py.id) = 4"
    changes = (
        "WHEN MATCHED THEN UPDATE SET v = py_four(q.k) WHEN NOT MATCHED THEN INSERT (id, v) VALUES (q.k, py_twice(q.k))"
    )
    assert sail.rows(f"{merge} {changes}") == [[2, 1, 0, 1]]
    assert sail.rows("INSERT INTO py SELECT py_twice(id), v FROM py WHERE id = 9") == [[1, 1]]
    assert sail.rows("SELECT * FROM py ORDER BY id") == [[1, 20], [2, 8], [9, 18], [18, 18]]
    sail.rows("CREATE OR REPLACE VIEW py_view AS SELECT py_twice(id) AS d FROM py")
    sail.rows("CREATE OR REPLACE FUNCTION py_twice(x INT) RETURNS INT LANGUAGE PYTHON AS $$ return x * 20 $$")
    assert sail.rows("SELECT max(d), count(*) FROM py_view") == [[360, 4]]
    assert sail.rows("SELECT py_twice(id) + 1 AS n FROM py WHERE id = 1") == [[21]]


def test_errors_of_functions_of_python(sail: SailProcess) -> None:
    code = "LANGUAGE PYTHON AS $$\nreturn [1 // x, 300][x]\n$$"
    sail.rows(f"CREATE OR REPLACE FUNCTION py_fails(x INT) RETURNS TINYINT {code}")
    condition, message = sail.error("SELECT py_fails(0)")
    assert condition == "PYTHON_FUNCTION_FAILED"
    assert "py_fails of Python failed at line 2 of its code: ZeroDivisionError" in message
    condition, message = sail.error("SELECT py_fails(1)")
    assert condition == "PYTHON_EXCEPTION"
    assert "Integer value 300 not in range" in message
    assert "Traceback" not in message
    for kind in ("CHAR(3)", "STRING COLLATE UNICODE", "MAP<STRING, ARRAY<INT>>", "VARIANT"):
        sail.rows(f"CREATE OR REPLACE FUNCTION py_other(x {kind}) RETURNS STRING LANGUAGE PYTHON AS $$ return 'a' $$")
        condition, message = sail.error("SELECT py_other(NULL)")
        assert condition == "UNSUPPORTED_FEATURE.SAIL"
        assert f"py_other of Python, which has the type {kind}" in message


def test_table_functions_of_python(sail: SailProcess) -> None:
    code = "class W:\n    def eval(self, text):\n        for word in (text or '').split():\n"
    code += "            yield word, len(word)\n"
    returns = "RETURNS TABLE (word STRING, n INT) LANGUAGE PYTHON HANDLER 'W'"
    sail.rows(f"CREATE OR REPLACE FUNCTION py_words(text STRING DEFAULT 'a') {returns} AS $$\n{code}$$")
    assert sail.rows("SELECT * FROM py_words('a bc') ORDER BY n") == [["a", 1], ["bc", 2]]
    assert sail.rows("SELECT w FROM py_words() AS p (w, m)") == [["a"]]
    source = "VALUES (1, 'x yy'), (2, NULL) AS t (id, s)"
    rows = sail.rows(f"SELECT id, p.word FROM {source}, LATERAL py_words(text => concat(t.s, ' z')) AS p ORDER BY word")
    assert rows == [[1, "x"], [1, "yy"], [1, "z"]]
    ending = f"{code}    def terminate(self):\n        yield 'end', 0\n"
    sail.rows(f"CREATE OR REPLACE FUNCTION py_words(text STRING) {returns} AS $$\n{ending}$$")
    assert sail.rows("SELECT word FROM py_words('a') ORDER BY n") == [["end"], ["a"]]
    condition, message = sail.error(f"SELECT * FROM {source}, LATERAL py_words(t.s) AS p")
    assert condition == "UNSUPPORTED_FEATURE.SAIL"
    assert "py_words(…), which gives more rows at the end, by terminate" in message
