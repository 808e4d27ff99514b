"""The bytes that an operator reads, if every input is known to be small; UNKNOWN_SIZE otherwise.

Resources of one statement in this process: temporary files, and sizes of the rows sent to the engine.
"""

from __future__ import annotations

from collections.abc import Mapping

from deltasql.engines.choice import scan_size
from deltasql.files.memory import COUNTED_ROWS, TINY_BYTES
from deltasql.plan.operators import (
    Literals,
    MemoryRows,
    Operator,
    Project,
    Rewrite,
    Scan,
    SourceFiles,
    SqlQuery,
    Supplied,
    children,
    evaluated_texts,
    texts_of,
)
from deltasql.sql.queries.row_counts import most_rows
from deltasql.sql.references import names_collation

UNKNOWN_SIZE = 1 << 40
_BYTES_PER_ROW = 8
_BYTES_OF_FOOTER = 512
_BYTES_OF_OPENING = 1 << 16
"""To open one more file of another format takes as long as to read so much of it: many want all cores."""


def input_size(operator: Operator) -> int:
    """Bytes that `operator` reads. What may be any number of rows, such as a DataFrame of the caller's, is large."""
    if estimated_rows(operator) > COUNTED_ROWS:
        return UNKNOWN_SIZE
    # What names a collation needs generated code, as columns with one do: see `scan_size`.
    collated = any(map(names_collation, evaluated_texts(operator)))
    return max(_bytes(operator), TINY_BYTES if collated else 0)


def _bytes(operator: Operator) -> int:
    if isinstance(operator, Scan):
        return scan_size(operator)
    if isinstance(operator, SourceFiles):
        return operator.size + len(operator.files) * _BYTES_OF_OPENING
    return sum(map(_bytes, children(operator)))


def estimated_rows(operator: Operator) -> int:
    """About the most rows that are gone through for `operator`. Of a large scan nothing is asked but its size."""
    match operator:
        case Scan():
            return _estimated(scan_size(operator) - _BYTES_OF_FOOTER * operator.files.num_rows)
        case SourceFiles():
            return _estimated(operator.size)
        case Supplied(frame):
            return frame.rows if isinstance(frame, MemoryRows) else UNKNOWN_SIZE
        case Literals() | MemoryRows():
            return operator.rows
        case SqlQuery():
            return _text_rows(operator.sql, operator.relations)
        case Rewrite():
            return _rewritten(operator)
        case _:
            texts = [sql for _, sql in operator.columns] if isinstance(operator, Project) else []
            return sum(map(estimated_rows, children(operator))) + sum(_text_rows(text, {}) for text in texts)


def _estimated(bytes_of_rows: int) -> int:
    """An estimate from the size of the files. It counts for joins: a scan alone is measured in bytes."""
    return min(max(bytes_of_rows // _BYTES_PER_ROW, 1), COUNTED_ROWS // 4)


def _text_rows(sql: str, relations: Mapping[str, Operator]) -> int:
    rows = most_rows(sql, {name: estimated_rows(operator) for name, operator in relations.items()})
    return UNKNOWN_SIZE if rows is None else rows


def _rewritten(operator: Rewrite) -> int:
    """Rows of the target and of the source, which are multiplied where the join has no equality."""
    target, source = estimated_rows(operator.target), 0
    if operator.join is not None:
        source = estimated_rows(operator.join.source)
        target = target if operator.join.equal_keys else target * max(source, 1)
    return target + source + sum(_text_rows(text, operator.relations) for text in texts_of(operator))


class Workspace:
    """Keeps objects such as temporary folders alive for a statement, and counts the bytes sent to the engine."""

    def __init__(self) -> None:
        self.sent = 0
        """Bytes of the rows that were sent to the engine, in Arrow's memory format."""
        self._retained: list[object] = []

    def retain(self, item: object) -> None:
        """Keeps a reference to an object that is deleted when unreferenced, such as a temporary folder."""
        self._retained.append(item)
