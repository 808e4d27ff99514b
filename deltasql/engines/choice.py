"""Choice between this process and the engine, for computing a statement's rows and for file I/O, and constraint errors.

Spark's executors read and write in parallel, but need access to the files: the local disk, or a Hadoop connector (jars)
for the object store. This process needs neither: it exchanges Arrow tables with Spark. Its file I/O passes through its
memory, so it does I/O for small inputs, and for all inputs that executors cannot reach.

Errors about rows that violate a constraint are made from an engine's message or by in-process evaluation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from deltasql.base import DeltaSqlError, LeftToEngineError, errors, pc, session_settings
from deltasql.files import FEW_BYTES, STORE_BYTES, TINY_BYTES, SessionFacts, require_memory
from deltasql.log import hadoop_scheme, has_variants, is_local
from deltasql.plan import Constraint, Operator, Scan, SqlQuery, base, children
from deltasql.schema import StructType, has_collations, has_shapes

_HANDED_OUT: ContextVar[bool] = ContextVar("handed_out", default=False)


@contextmanager
def handed_out() -> Iterator[None]:
    """Context: DataFrames created within it are returned to the caller, so Spark itself reads local files for them and
    can name these files.
    """
    token = _HANDED_OUT.set(True)
    try:
        yield
    finally:
        _HANDED_OUT.reset(token)


def is_handed_out() -> bool:
    """Whether the DataFrame being created is returned to the caller: see `handed_out`."""
    return _HANDED_OUT.get()


def only_for_spark(schema: StructType) -> str:
    """The columns that only Spark's own reader and writer support, in words; "" where there are none."""
    if has_variants(schema):
        return "VARIANT columns"
    if has_shapes(schema):
        return "GEOMETRY and GEOGRAPHY columns"
    return "columns with a collation" if has_collations(schema) else ""


def moved_in_process(session: SessionFacts, location: str, size: int, *, barred: str = "") -> bool:
    """Whether this process, not the executors, does the file I/O at a location for a statement that reads `size` bytes.

    `barred` names columns that this process does not move: see `only_for_spark`.
    Raises InvalidSettingError, NoWayToFilesError, OtherCredentialsError, LentCredentialsError, NotOnSailError.
    """
    if session.reads_files:
        return _by_mode(session, location, size, barred)
    if barred:
        raise errors.NotOnSailError(what=barred)
    return True


def _mode(session: SessionFacts) -> str:
    return session_settings.IO_MODE.value(
        session.session_value(session_settings.IO_MODE.name) or session_settings.DEFAULTS[session_settings.IO_MODE.name]
    )


def _by_mode(session: SessionFacts, location: str, size: int, barred: str) -> bool:
    mode = "EXECUTORS" if barred else _mode(session)
    if mode == "DRIVER":
        return True
    if is_local(location):
        if _HANDED_OUT.get():
            return False
        return mode == "AUTO" and size < TINY_BYTES and session.leaves_files_to_us
    if mode == "AUTO":
        # Executors could not renew lent credentials.
        return size <= STORE_BYTES or session.stores.is_lent(location) or not session.reaches(location)
    if not session.reaches(location):
        reason = barred or f"{session_settings.IO_MODE.name} = EXECUTORS"
        raise unreachable_error(session, location, reason)
    return False


def copied_in_process(session: SessionFacts, location: str, size: int) -> bool:
    """Whether this process copies unchanged rows from file to file for a statement that reads `size` bytes.

    True where it does the file I/O anyway (see `moved_in_process`), and on a local disk that executors share with it.
    Raises what `moved_in_process` raises.
    """
    if moved_in_process(session, location, size):
        return True
    return _mode(session) == "AUTO" and is_local(location) and session.leaves_files_to_us and session.shares_disk


def evaluated_in_process(session: SessionFacts, location: str, size: int) -> bool:
    """Whether in-process evaluation may change rows for a statement that reads `size` bytes. Starts no engine.

    The conditions are those of `copied_in_process`, judged without asking the engine.
    """
    if session.is_in_process or _mode(session) == "DRIVER":
        return True
    if _mode(session) != "AUTO":
        return False
    return session.is_on_this_machine if is_local(location) else size <= STORE_BYTES


def unreachable_error(session: SessionFacts, location: str, reason: str) -> DeltaSqlError:
    """The error for a location that executors do not reach; `reason` names the feature or setting that needs them."""
    if session.has_other_keys(location):
        if session.stores.is_lent(location):
            return errors.LentCredentialsError(location=location, reason=reason)
        return errors.OtherCredentialsError(location=location, reason=reason)
    return errors.NoWayToFilesError(location=location, scheme=hadoop_scheme(location), reason=reason)


def spreads_rows(operator: Operator) -> bool:
    """Whether a hint of the query says how rows are spread over tasks, each of which writes files."""
    if isinstance(operator, SqlQuery) and has_spreading_hint(operator.sql):
        return True
    return any(map(spreads_rows, children(operator)))


def scan_size(operator: Scan) -> int:
    """Bytes of the scan's files; at least TINY_BYTES where rows of such columns need Spark's generated code.

    Tiny inputs do without that code, and Spark 4.2 without it cannot read fields of a shredded variant, and gives wrong
    answers for `max` and `first` of a text with a collation: it does not copy the text out of a buffer that is reused.
    """
    size = pc.sum(operator.files.column("size")).as_py() or 0
    return max(size, TINY_BYTES) if has_variants(operator.schema) or has_collations(operator.schema) else size


def is_small(scan: Scan) -> bool:
    """Whether reading all of a scan's rows in this process costs less than a query of the engine."""
    return scan_size(scan) <= FEW_BYTES


def require_fits_in_memory(session: SessionFacts, location: str, size: int) -> None:
    """Raises LeftToEngineError if files of `size` bytes are too many to be held in this process's memory."""
    require_memory(session, size)
    require_streaming(session, location, size)


def require_searching(session: SessionFacts, location: str, size: int) -> None:
    """Raises LeftToEngineError where the engine, not this process, searches `size` bytes at a location."""
    if not evaluated_in_process(session, location, size):
        raise LeftToEngineError(f"{size:,} bytes are read, which the engine's executors do side by side")


def require_streaming(session: SessionFacts, location: str, size: int) -> None:
    """Raises LeftToEngineError where the engine, not this process, passes `size` bytes at a location on as they are."""
    if size > FEW_BYTES:
        require_searching(session, location, size)


_SPREADING = re.compile(
    r"/\*\+(?:(?!\*/).)*\b(?:REPARTITION|REPARTITION_BY_RANGE|COALESCE|REBALANCE)\b", re.IGNORECASE | re.DOTALL
)


def has_spreading_hint(sql: str) -> bool:
    """Whether a hint names a number of tasks, or columns that rows are spread by. A text in quotes counts as well."""
    return _SPREADING.search(sql) is not None


class ViolatedError(LeftToEngineError):
    """A row violates `constraint`. `row` has its values of the columns that the error shows, as JSON has them."""

    def __init__(self, constraint: Constraint, row: Mapping[str, Any]) -> None:
        super().__init__("a row violates a constraint")
        self.constraint = constraint
        self.row = row


def violation_error(constraint: Constraint, row: Mapping[str, Any] | str, table: str) -> DeltaSqlError:
    """The error for a row of `table` that violates a constraint; `row` maps columns to values, or is a text instead."""
    name, condition = constraint.name, constraint.condition
    values = row if isinstance(row, str) else _values(row, condition)
    if name == base.REPLACE_WHERE:
        return errors.ReplaceWhereMismatchError(predicate=condition, values=values)
    if name.startswith(base.PARTITION_NAME):
        return errors.PartitionValueError(column=name.removeprefix(base.PARTITION_NAME), table=table)
    if name.startswith(base.LENGTH):
        column, _, limit = name.removeprefix(base.LENGTH).rpartition("|")
        return errors.ExceedLengthError(column=column, limit=int(limit), values=values)
    if constraint.column:
        return errors.NotNullViolationError(column=constraint.column, table=table)
    # All generated columns share one name in Delta.
    name = base.GENERATED.strip() if name.startswith(base.GENERATED) else name
    return errors.CheckViolationError(constraint=name, expression=f"({condition})", values=values)


def shown_columns(columns: Iterable[str], condition: str) -> list[str]:
    """The columns that a condition mentions, whose values its error shows; all columns if it mentions none."""
    words = {word.lower() for word in re.findall(r"\w+", condition)}
    names = list(columns)
    return [name for name in names if name.lower() in words] or names


def _values(row: Mapping[str, Any], condition: str) -> str:
    """The row's values for the columns that the condition mentions, sorted by name."""
    shown = sorted(shown_columns(row, condition))
    return ", ".join(f"{name} = {json.dumps(row[name], ensure_ascii=False)}" for name in shown)
