"""Statements in Python: writes and reads of DataFrames, in PySpark's words, which both engines understand.

write("SELECT 1 AS id").mode("append").saveAsTable("t")
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


def evaluated(text: str, **names: Any) -> Any:
    """What the expression gives, where `write`, `writeTo` and `read` mean one engine's."""
    return eval(text, {"__builtins__": {}}, names)
