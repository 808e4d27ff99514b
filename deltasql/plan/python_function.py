"""A function of Python, as an operator without rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A function of Python, which a SqlFunction calls by its name among the relations; it has no rows.

    `name` is the user's, `code` is what stands in the statement, `handler` the function or class of it that is called,
    None where the code is the body of a function itself. `returns` is the type of the result, or the columns of the
    table that the class yields (`is_table`), in SQL.
    """

    name: str
    code: str
    handler: str | None
    parameters: tuple[str, ...]
    returns: str
    is_table: bool = False
    deterministic: bool = True
