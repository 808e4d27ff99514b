"""Tests of SQLAlchemy's suite that do not apply, each with the reason."""

from __future__ import annotations

import re

_IDENTITY = "identity columns of Delta are BIGINT, and those of the test are INT"
_NAMES = "names of tables have no blanks, dots and quotes, and those of columns need column mapping for them"
_NUMBERS = "Delta numbers no key by itself"
_LOWER = "names of constraints are in lower case, as Delta stores them"

LEFT_OUT: dict[str, str] = {
    "BizarroCharacterTest": _NAMES,
    "DifficultParametersTest": _NAMES,
    "QuotedNameArgumentTest": _NAMES,
    "UnicodeSchemaTest": _NAMES,
    "IdentityColumnTest": _IDENTITY,
    "IdentityAutoincrementTest": _IDENTITY,
    "IdentityReflectionTest": _IDENTITY,
    "InsertBehaviorTest::test_no_results_for_non_returning_insert": _NUMBERS,
    "InsertBehaviorTest::test_insert_from_select_autoinc": _NUMBERS,
    "InsertBehaviorTest::test_insert_from_select_autoinc_no_rows": _NUMBERS,
    "LastrowidTest": _NUMBERS,
    "AutocommitIsolationTest": "each statement is a commit, unless the isolation level is SERIALIZABLE",
    "ComponentReflectionTest::test_get_pk_constraint_quoted_name": _LOWER,
    "ComponentReflectionTest::test_get_foreign_keys_quoted_name": _LOWER,
    "ComponentReflectionTestExtra::test_check_constraint_standalone": _LOWER,
    "ComponentReflectionTestExtra::test_check_constraint_inline": _LOWER,
    "ComputedReflectionTest": "an INT divided by 42 is a DOUBLE, and no INT as the column of the test",
    "LongNameBlowoutTest": "there are no indexes",
}
"""Classes, or tests of a class."""


def reason(nodeid: str) -> str | None:
    """Why a test does not apply; None for one that does."""
    _, title, test = nodeid.split("::", 2)
    name, test = title.partition("_")[0], re.sub(r"\[.*", "", test)
    return LEFT_OUT.get(name) or LEFT_OUT.get(f"{name}::{test}")
