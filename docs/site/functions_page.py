"""The table of docs/built-in-functions.md: `python -m docs.site.functions_page` renews it.

Names of Spark's functions are those of `deltasql.sql.functions`, the others are in `builtin_functions.json`. Text
outside of the marks `<!-- table -->` and `<!-- end -->` is written by hand and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from deltasql.sql import FUNCTIONS, added_functions, builtin_table, refused_functions

PAGE = Path(__file__).parents[1] / "built-in-functions.md"
_NO_CALLS = frozenset({"and", "or", "not", "in", "between", "case", "when", "like", "ilike", "rlike", "regexp", "div"})
"""Spark lists these predicates and operators among its functions."""


def renewed(page: str) -> str:
    """`page` with its table as the package has it."""
    return re.sub(
        r"<!-- table -->\n.*?<!-- end -->", lambda _: f"<!-- table -->\n{_table()}<!-- end -->", page, flags=re.DOTALL
    )


def sparks_names() -> frozenset[str]:
    """The functions that are said to be Spark's own."""
    ours = {*builtin_table()["ours"], *builtin_table()["also_ours"]}
    return frozenset(map(str.lower, FUNCTIONS)) - _NO_CALLS - ours


def _table() -> str:
    rows = sorted(_rows())
    return "".join(
        ["| function | state | note |\n|---|---|---|\n", *(f"| `{name}` | {rest} |\n" for name, rest in rows)]
    )


def _rows() -> Iterator[tuple[str, str]]:
    for name in sparks_names():
        yield name, "Spark's | "[:-1]
    for name, entry in builtin_table()["ours"].items():
        yield name, f"ours | {entry['meaning']}"
    for name, meaning in builtin_table()["also_ours"].items():
        yield name, f"ours | {meaning}"
    for name, function in added_functions().items():
        yield (
            name,
            f"ours | `{function.signature}`, by the package {function.packages[-1]}: [geospatial](geospatial.md)"
            if function.packages
            else f"ours | `{function.signature}`",
        )
    for name, advice in refused_functions().items():
        shown = advice.replace("{name}", name)
        yield name, f"refused | {shown}"


def main() -> None:
    """Writes the page anew."""
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
