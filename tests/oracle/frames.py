"""Statements in Python: writes and reads of DataFrames, in PySpark's words, which both engines understand.

write("SELECT 1 AS id").mode("append").saveAsTable("t")
write("SELECT 1 AS id", "s").mode("overwrite").option("replaceOn", "t.id = s.id").option("targetAlias", "t").save(…)
writeTo("SELECT 1 AS id", "t").append()
read.option("versionAsOf", 0).table("t")
"""

from __future__ import annotations

import re
from typing import Any

_PYTHON = re.compile(r"(write|writeTo)\(|read\.")


def is_python(text: str) -> bool:
    """Whether a statement is one of these, not SQL."""
    return _PYTHON.match(text) is not None


def aliased(frame: Any, alias: str | None) -> Any:
    """The DataFrame under a name that conditions may call it by."""
    return frame if alias is None else frame.alias(alias)


def evaluated(text: str, **names: Any) -> Any:
    """What the expression gives, where `write`, `writeTo` and `read` mean one engine's."""
    return eval(text, {"__builtins__": {}}, names)
