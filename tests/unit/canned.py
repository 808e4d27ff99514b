"""What the stand-in sessions of the command and of the shell answer: by the first word of a statement."""

from __future__ import annotations

import re

from deltasql.base.errors import SparkError, TableNotFoundError
from deltasql.base.errors.base import Caret
from deltasql.base.interrupts import StatementInterrupted
from deltasql.files.result import Result
from deltasql.schema import types as t

NUMBERS = t.StructType((t.StructField("n", t.LONG),))


def answer(text: str, version: int = 1) -> Result:
    """SELECT gives two rows; MISS, BREAK, BUG, WAIT and LATE fail, each in its way; others commit this version."""
    match re.sub(r"--.*", "", text).split(maxsplit=1)[0].upper():
        case "SELECT":
            return Result.of(NUMBERS, [(1,), (2,)])
        case "MISS":
            raise TableNotFoundError(table="t", advice="Run SHOW TABLES.").at(
                Caret(text, text.index(" t") + 1, text.index(" t") + 2)
            )
        case "BREAK":
            raise SparkError("DIVIDE_BY_ZERO", "22012", "Division by zero.", stack="at Some.java:1")
        case "BUG":
            raise ValueError("unexpected")
        case "WAIT":
            raise KeyboardInterrupt
        case "LATE":
            raise StatementInterrupted((("t", 7),))
    return Result.of(version=version)
