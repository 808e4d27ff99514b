"""Statements in Python: writes and reads of DataFrames, in PySpark's words, which both engines understand.

write("SELECT 1 AS id").mode("append").saveAsTable("t")
write("SELECT 1 AS id", "s").mode("overwrite").option("replaceOn", "t.id = s.id").option("targetAlias", "t").save(…)
writeTo("SELECT 1 AS id", "t").append()
read.option("versionAsOf", 0).table("t")
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_PYTHON = re.compile(r"(write|writeTo)\(|read\.")


def is_python(text: str) -> bool:
    """Whether a statement is one of these, not SQL."""
    return _PYTHON.match(text) is not None


def evaluated(text: str, *, write: Callable[[str], Any], **names: Any) -> Any:
    """What the expression gives, where `write`, `writeTo` and `read` mean one engine's.

    `write` takes a name as well, by which conditions may call the rows.
    """

    def named(query: str, alias: str | None = None) -> Any:
        return write(query if alias is None else f"SELECT * FROM ({query}) AS {alias}")

    return eval(text, {"__builtins__": {}}, {**names, "write": named})
