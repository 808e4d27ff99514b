"""Differences between a model and its materialized view or streaming table, by the statements that create them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dbt_common.exceptions import CompilationError, DbtDatabaseError

from deltasql import DeltaSqlError
from deltasql.schema import quote_text
from deltasql.sql import parse
from deltasql.statements import CheckConstraint, CreateRefreshed

_INTERVALS = ("cron", "every", "on_update")
_OPTIONS = {"time_zone_value": "cron", "at_most_every": "on_update"}
_PROTOCOL = ("delta.feature.", "delta.minreaderversion", "delta.minwriterversion")


@dataclass(frozen=True)
class RefreshedChange:
    """`replaced` names what only another CREATE can change; `altered` has the ends of ALTER statements."""

    is_query_changed: bool
    replaced: tuple[str, ...]
    altered: tuple[str, ...]


def change(current: str, wanted: str) -> RefreshedChange | None:
    """The differences between SHOW CREATE TABLE of a relation and the statement that creates it as the model says.

    None if there are none. Comments do not count: persist_docs writes them. Raises DbtDatabaseError.
    """
    old, new = _read(current), _read(wanted)
    one, other = _fixed(old), _fixed(new)
    replaced = tuple(name for name in one if one[name] != other[name])
    is_query_changed = (old.query and old.query.text) != (new.query and new.query.text)
    altered = (*_schedule(old, new), *_properties(old, new))
    return RefreshedChange(is_query_changed, replaced, altered) if is_query_changed or replaced or altered else None


def schedule_clause(schedule: Any) -> str:
    """The configuration `schedule` of a model as a clause. Raises CompilationError."""
    if not schedule:
        return ""
    given = schedule if isinstance(schedule, dict) else {}
    intervals = [key for key in _INTERVALS if given.get(key)]
    unknown = sorted(given.keys() - {*_INTERVALS, *_OPTIONS})
    if len(intervals) != 1 or unknown or not {_OPTIONS[key] for key in given.keys() & _OPTIONS} <= {*intervals}:
        raise CompilationError(
            f"schedule is {schedule!r}. Write one of {{'cron': '0 0 * * * ? *', 'time_zone_value': 'UTC'}}, "
            "{'every': '2 hours'} and {'on_update': true, 'at_most_every': '1 hour'}."
        )
    if intervals == ["on_update"]:
        return "trigger on update" + _limit(given)
    if intervals == ["every"]:
        return f"schedule every {given['every']}"
    zone = given.get("time_zone_value")
    return f"schedule cron {quote_text(str(given['cron']))}" + (
        f" at time zone {quote_text(str(zone))}" if zone else ""
    )


def _limit(schedule: dict[str, Any]) -> str:
    most = schedule.get("at_most_every")
    return f" at most every interval {most}" if most else ""


def _read(sql: str) -> CreateRefreshed:
    """The statement's node. Raises DbtDatabaseError."""
    try:
        node = parse(sql)
    except DeltaSqlError as error:
        raise DbtDatabaseError(str(error)) from error
    if not isinstance(node, CreateRefreshed):
        raise DbtDatabaseError(f"This creates no materialized view or streaming table:\n{sql}")
    return node


def _fixed(statement: CreateRefreshed) -> dict[str, Any]:
    """The parts that no ALTER statement changes, by their names in a model's configuration."""
    return {
        "partition_by": [column.name.lower() for column in statement.create.partitioned_by or ()],
        "liquid_clustered_by": _clustering(statement),
        "constraints": _checks(statement),
        "expectations": [
            (item.name, " ".join(item.condition.text.split()), item.action) for item in statement.expectations
        ],
    }


def _clustering(statement: CreateRefreshed) -> list[str]:
    clustering = statement.create.cluster_by
    if clustering is None:
        return []
    return ["auto"] if clustering.auto else [".".join(column.parts).lower() for column in clustering.columns]


def _checks(statement: CreateRefreshed) -> list[tuple[str, str]]:
    """The names and conditions of constraints; a condition is in parentheses."""
    constraints = statement.create.constraints
    return sorted(
        (str(item.name).lower(), " ".join(item.condition.text.split()))
        for item in constraints
        if isinstance(item, CheckConstraint)
    )


def _schedule(old: CreateRefreshed, new: CreateRefreshed) -> tuple[str, ...]:
    if _folded(old.schedule) == _folded(new.schedule):
        return ()
    return ("drop schedule",) if new.schedule is None else (f"add {new.schedule}",)


def _folded(schedule: str | None) -> str:
    """A schedule without the letters' case, of which words and names of time zones have none, and the word REFRESH."""
    return (schedule or "").lower().replace("schedule refresh", "schedule")


def _properties(old: CreateRefreshed, new: CreateRefreshed) -> tuple[str, ...]:
    """Those of Delta stay if the model names them no more: it sets some itself."""
    current = {_key(key): value for key, value in old.create.properties}
    wanted = {_key(key): (key, value) for key, value in new.create.properties if not _key(key).startswith(_PROTOCOL)}
    new_values = {key: value for folded, (key, value) in wanted.items() if _value(current.get(folded)) != _value(value)}
    gone = [key for key in current if key not in wanted and not key.startswith("delta.")]
    changes = []
    if new_values:
        pairs = ", ".join(f"{quote_text(key)} = {quote_text(value)}" for key, value in new_values.items())
        changes.append(f"set tblproperties ({pairs})")
    if gone:
        changes.append(f"unset tblproperties if exists ({', '.join(map(quote_text, gone))})")
    return tuple(changes)


def _key(key: str) -> str:
    """Keys of Delta are the same in any case of their letters."""
    return key.lower() if key.lower().startswith("delta.") else key


def _value(value: str | None) -> str | None:
    """Delta stores truth values in small letters."""
    return value.lower() if value is not None and value.lower() in {"true", "false"} else value
