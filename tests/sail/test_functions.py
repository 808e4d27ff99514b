"""Calls that run on Sail give what they give on Spark; any other is refused. DELTASQL_GRID=all asks the whole grid."""

from __future__ import annotations

import json
import os
from typing import Any

from deltasql.settings.session_settings import UNPROVEN
from tests.sail.functions import ANSWERS, SETTINGS, answers, is_safe, key_of, queries
from tests.sail.process import SailProcess

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
