"""Idempotent writes, tables that only a refresh changes, and catalogs and schemas that are created automatically.

A commit records the version that an application has reached; earlier versions are not written again. Source: Delta
protocol, Transaction Identifiers; features of Delta, idempotent writes. `plan_statement` checks this for each write.

Materialized views and streaming tables are changed by no statements but those about them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from deltasql.base import errors, session_settings
from deltasql.catalog import Refreshed, TableEntry
from deltasql.log import Operation, SetTransaction, Snapshot, operation_named
from deltasql.plan import LogicalPlan, TableName
from deltasql.planner import (
    OUTCOME_SCHEMAS,
    Answer,
    Context,
    Plan,
    RowChange,
    SettingChange,
    Stepwise,
    TableChange,
    plan,
)
from deltasql.sql import statement_words

_SCHEDULE_WORDS = re.compile("SCHEDULE (REFRESH )?", re.IGNORECASE)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}


def refuse_refreshed(statement: LogicalPlan, context: Context) -> None:
    """Raises WriteIntoRefreshedError, WrongObjectError for a change of a table that refreshes alone may change."""
    words, name = statement.object_words or statement.table_change(), getattr(statement, "table", None)
    if not words or not isinstance(name, TableName):
        return
    entry = _entry(name, context)
    if entry is None or entry.refreshed is None:
        return
    if words == "DROP TABLE" and entry.refreshed.kind is Refreshed.STREAMING_TABLE:
        # Databricks has no other statement for it, and its clients write this one.
        return
    kind, caret = entry.refreshed.kind.value, context.caret(name.start, name.end)
    if statement.object_words:
        advice = words.replace("TABLE", kind, 1) + f" of {name}"
        raise errors.WrongObjectError(words, "table", str(name), kind.lower(), advice.replace(" of ", " ")).at(caret)
    raise errors.WriteIntoRefreshedError(words, str(name), kind.lower(), kind).at(caret)


_NOT_OF_TEMPORARY = {
    "ALTER TABLE": "Create another one as you need it: CREATE TEMPORARY TABLE … AS SELECT … FROM {name}.",
    "TRUNCATE TABLE": "Write DELETE FROM {name}, or drop the table and create it again.",
    "SHOW PARTITIONS": "Write SELECT DISTINCT with its partition columns.",
}
"""First words of statements that temporary tables do not have, and what to do instead. Source: Databricks."""


def refuse_of_temporary(statement: LogicalPlan, context: Context) -> None:
    """Raises TemporaryTableError for a statement that temporary tables do not have."""
    name = getattr(statement, "table", None)
    if not isinstance(name, TableName) or not context.is_temporary_table(name):
        return
    written = statement_words(context.sql, name.start, name.end)
    for words, advice in _NOT_OF_TEMPORARY.items():
        if written.startswith(words):
            error = errors.TemporaryTableError(str(name), words, advice.format(name=name))
            raise error.at(context.caret(name.start, name.end))


def _entry(name: TableName, context: Context) -> TableEntry | None:
    if name.path is not None or len(name.parts) > 3 or context.view_key(name.parts) is not None:
        return None
    entry = context.catalog.find(name.parts)
    return entry if isinstance(entry, TableEntry) else None


def refreshed_kind(name: TableName, context: Context) -> Refreshed | None:
    """Whether a name is that of a materialized view or of a streaming table; None for all others."""
    entry = _entry(name, context)
    return None if entry is None or entry.refreshed is None else entry.refreshed.kind


def refreshed_rows(entry: TableEntry, mode: str | None, time: int | None) -> Iterator[tuple[str, str]]:
    """Names and values of what a definition says, and of the last refresh."""
    definition = entry.refreshed
    if definition is None:
        return
    yield "View Text", definition.view.query
    yield "View Catalog and Namespace", ".".join(definition.view.namespace)
    yield "", ""
    yield "# Refresh Information", ""
    if mode is not None and time is not None:
        yield "Last Refreshed", datetime.fromtimestamp(time / 1000, timezone.utc).isoformat(sep=" ", timespec="seconds")
        yield "Last Refresh Type", mode
    yield "Refresh Schedule", _schedule_text(definition.schedule)


def _schedule_text(schedule: str | None) -> str:
    """A schedule in the one form that clients of Databricks read: a time zone for CRON, seconds for a trigger."""
    if schedule is None:
        return "MANUAL"
    if schedule.upper().startswith("TRIGGER"):
        interval = schedule.upper().partition(" INTERVAL ")[2].replace("'", " ").replace('"', " ")
        return "TRIGGER ON UPDATE" + (
            f" AT MOST EVERY INTERVAL {interval_seconds(interval)} SECONDS" if interval else ""
        )
    period = _SCHEDULE_WORDS.sub("", schedule)
    if not period.upper().startswith("CRON"):
        return period.upper()
    has_zone = " AT TIME ZONE " in period.upper()
    return f"CRON{period[4:]}" + ("" if has_zone else " AT TIME ZONE 'Etc/UTC'")


def interval_seconds(text: str) -> int | None:
    """The seconds of numbers and units, as in `1 day 2 hours`; None where it is no such text."""
    words = text.lower().split()
    numbers, units = words[::2], [word.removesuffix("s") for word in words[1::2]]
    if len(numbers) != len(units) or not all(map(str.isdecimal, numbers)) or not _SECONDS.keys() >= set(units):
        return None
    return sum(int(number) * _SECONDS[unit] for number, unit in zip(numbers, units, strict=True))


@dataclass(frozen=True, slots=True)
class Application:
    """A writing application, and the increasing version of this write. `from_settings` if session settings name it."""

    id: str
    version: int
    from_settings: bool = False

    def done_in(self, snapshot: Snapshot | None) -> bool:
        """Whether the table has this write already, or a later one."""
        return snapshot is not None and snapshot.transactions.get(self.id, -1) >= self.version

    def action(self) -> SetTransaction:
        """The transaction identifier action (txn) of the commit."""
        return SetTransaction(self.id, self.version, int(time.time() * 1000))


def application(app_id: str | None, version: str | None, id_key: str, version_key: str) -> Application | None:
    """The application that two options or settings name; None if neither is set.

    Raises InvalidIdempotentWriteError for one without the other, IllegalOptionError for a version that is no number.
    """
    if app_id is None and version is None:
        return None
    if app_id is None or version is None:
        missing = id_key if app_id is None else version_key
        raise errors.InvalidIdempotentWriteError(id_key, version_key, f"{missing} is missing")
    text = version.strip()
    if not text.isdecimal() or int(text) >= 2**63:
        raise errors.IllegalOptionError(version_key, repr(version), "a whole number from 0 on")
    return Application(app_id, int(text))


def session_application(context: Context) -> Application | None:
    """The application that the session's settings name. Raises what `application` raises."""
    app = application(
        context.setting(session_settings.TXN_APP_ID),
        context.setting(session_settings.TXN_VERSION),
        session_settings.TXN_APP_ID.name,
        session_settings.TXN_VERSION.name,
    )
    return None if app is None else replace(app, from_settings=True)


def plan_statement(statement: LogicalPlan, context: Context) -> Plan:
    """Plan of `statement`; an empty result for a write that the session's application has committed before."""
    refuse_refreshed(statement, context)
    refuse_of_temporary(statement, context)
    operation, name = statement.idempotent_write(), getattr(statement, "table", None)
    if not operation or not isinstance(name, TableName):
        return plan(statement, context)
    of_session = session_application(context)
    if of_session is None:
        return plan(statement, context)
    if of_session.done_in(present(name, context)):
        return skipped(of_session, operation_named(operation), context)
    return noted(plan(statement, context), of_session, context)


def present(name: TableName, context: Context) -> Snapshot | None:
    """The table as it is now; None where there is none."""
    if name.path is None and (context.is_view(name) or context.catalog.resolve(name.parts) is None):
        return None
    return context.snapshot(name) if context.log(name).exists() else None


def skipped(done: Application, operation: Operation, context: Context) -> Plan:
    """An empty result without a commit; resets the version setting if it is to be reset automatically."""
    answer = Answer(OUTCOME_SCHEMAS[operation.outcome])
    resets = _resets(done, context)
    steps: list[Plan] = [*resets, answer]
    return Stepwise("a write that was done before", iter(steps), commits=False) if resets else answer


def noted(change: Plan, app: Application, context: Context) -> Plan:
    """`change` with the application's transaction identifier in its commit."""
    if not isinstance(change, (RowChange, TableChange)):
        return change
    return change.committing(actions=(*change.commit.actions, app.action()), afterwards=_resets(app, context))


def _resets(app: Application, context: Context) -> tuple[SettingChange, ...]:
    return (
        (SettingChange(session_settings.TXN_VERSION.name, None),)
        if app.from_settings and context.setting(session_settings.TXN_AUTO_RESET)
        else ()
    )
