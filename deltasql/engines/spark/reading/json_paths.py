"""Paths in JSON texts, `raw:a.b`: Spark has them for a VARIANT only, and its analysis says which operands are texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from deltasql.sql.postfix import ASKING, json_paths, with_json_paths
from deltasql.sql.tokens import tokenize

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NOT_BEHIND_VARIANT = ("COLUMN_IS_NOT_VARIANT_TYPE", "UNBOUND_SQL_PARAMETER", "INVALID_USAGE_OF_STAR_OR_REGEX")
"""Spark's conditions for a path behind another type (an internal error), behind a constant, and for `[*]`."""
_TYPE_ASKED = re.compile(rf'"{ASKING}\(.*" has the type "([^"]+)"')
_COLON = re.compile(r"(?<!:):(?!:)")


def has_json_paths(sql: str) -> bool:
    """Whether a text has paths, be their operands texts or VARIANTs."""
    return _COLON.search(sql) is not None and bool(json_paths(tokenize(sql)))


def without_json_paths(sql: str, analysed: Callable[[str], DataFrame]) -> str:
    """`sql` with functions in place of the paths whose operand is no VARIANT; `analysed` has Spark analyse a text.

    Other errors of the analysis are left to the caller, who has the result analysed.
    """
    if not has_json_paths(sql):
        return sql
    condition, _ = _refusal(with_json_paths(sql, ()), analysed)
    return with_json_paths(sql, _texts(sql, analysed) if condition in _NOT_BEHIND_VARIANT else ())


def _texts(sql: str, analysed: Callable[[str], DataFrame]) -> Collection[int]:
    """The numbers of the paths whose operand is no VARIANT.

    The type of an operand may depend on a path in a sub-query, so that it is found only after that one's.
    """
    numbers = set(range(len(json_paths(tokenize(sql)))))
    unknown, variants = set(numbers), set[int]()
    while unknown:
        found = set()
        for number in unknown:
            _, kind = _refusal(with_json_paths(sql, numbers - variants, number), analysed)
            if kind is not None:
                found.add(number)
            if kind == "VARIANT":
                variants.add(number)
        if not found:
            break
        unknown -= found
    return numbers - variants


def _refusal(sql: str, analysed: Callable[[str], DataFrame]) -> tuple[str | None, str | None]:
    """The condition with which Spark refuses a text, and the type of the operand that it asks for; None without."""
    try:
        analysed(sql).schema  # noqa: B018 - Spark Connect looks only now
    except Exception as error:
        # An internal error of Spark has a class of the bridge to the JVM, and no condition.
        text = str(error)
        asked = _TYPE_ASKED.search(text)
        return next((name for name in _NOT_BEHIND_VARIANT if name in text), None), asked and asked[1]
    return None, None
