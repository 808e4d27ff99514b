"""The setting `deltasql.governance`: whether statements about privileges are refused, ignored or recorded."""

from __future__ import annotations

from collections.abc import Callable

from deltasql.errors.base import Caret
from deltasql.errors.statements.governance import GovernanceRefusedError
from deltasql.plan.notes import make_note
from deltasql.planner.changes import Answer, Plan
from deltasql.planner.context import Context
from deltasql.settings.session_settings import GOVERNANCE

RECORDED = "deltasql enforces no privileges."
POLICY = "It applies while deltasql.governance.filters is true."
IGNORED = "{operation} was ignored: deltasql enforces no privileges."


def governed(
    operation: str, caret: Caret, context: Context, record: Callable[[], Plan], ignored: Answer | None = None
) -> Plan:
    """The plan that `record` gives, if the setting is RECORD; `ignored`, with a warning, if it is WARN.

    Raises GovernanceRefusedError, at the caret, if it is ERROR.
    """
    if not is_recorded(operation, caret, context):
        return ignored or Answer()
    return record()


def is_recorded(operation: str, caret: Caret, context: Context) -> bool:
    """Whether the setting is RECORD; with WARN the statement gets a warning. Raises GovernanceRefusedError."""
    mode = context.setting(GOVERNANCE)
    if mode == "ERROR":
        raise GovernanceRefusedError(operation).at(caret)
    if mode == "WARN":
        make_note(IGNORED.format(operation=operation), is_warning=True)
        return False
    return True


def note_recorded(operation: str, effect: str = RECORDED) -> None:
    """Makes the note that something is recorded, and whether it has an `effect`."""
    make_note(f"{operation}: recorded in the catalog. {effect}", is_warning=False)
