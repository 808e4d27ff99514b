"""SET clauses of UPDATE and MERGE: from paths and expressions to one SQL text per column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from deltasql.base.errors.base import Caret
from deltasql.base.errors.write import ConflictingAssignmentsError, FieldOfNonStructError
from deltasql.plan.base import ColumnPath, quote
from deltasql.schema.paths import folded
from deltasql.schema.text import sql_text, text_sql, type_text
from deltasql.schema.types import DataType, StructType

ValueFor = Callable[[str, DataType, str], str]
"""(SQL of the assigned value, type of the column or field, its dotted name) → SQL of that type."""


@dataclass(frozen=True, slots=True)
class ResolvedAssignment:
    """An assignment whose target is spelled as the schema has it; `path` of the column that was written."""

    names: tuple[str, ...]
    value: str
    path: ColumnPath

    @property
    def written(self) -> tuple[str, ...]:
        """The names as the statement spells them, without an alias of the table."""
        return self.path.parts[-len(self.names) :]


def refuse_conflicts(assignments: Sequence[ResolvedAssignment], caret: Callable[[int, int], Caret]) -> None:
    """Raises ConflictingAssignmentsError, at the second, if one target is another or lies within it."""
    for index, first in enumerate(assignments):
        for second in assignments[index + 1 :]:
            shorter = min(len(first.names), len(second.names))
            if folded(first.names[:shorter]) == folded(second.names[:shorter]):
                error = ConflictingAssignmentsError(columns=(dotted(first.written), dotted(second.written)))
                raise error.at(caret(second.path.start, second.path.end))


def assigned_values(
    assignments: Sequence[ResolvedAssignment],
    old: StructType,
    new: StructType,
    alias: str,
    value_for: ValueFor,
) -> dict[str, str]:
    """SQL of the new value of each assigned column of `new`, by its name. All texts read the row as it was.

    `old` is the schema of the rows that are read; a field that only `new` has is NULL in them. Setting a part of a
    NULL struct makes it a struct. Raises FieldOfNonStructError.
    """
    groups: dict[str, list[ResolvedAssignment]] = {}
    for assignment in assignments:
        field = new.find(assignment.names[0])
        assert field is not None
        groups.setdefault(field.name, []).append(assignment)
    values = {}
    for name, members in groups.items():
        field, before = new.find(name), old.find(name)
        assert field is not None
        current = f"{quote(alias)}.{quote(before.name)}" if before else f"CAST(NULL AS {sql_text(field.type)})"
        tree = {item.names[1:]: item for item in members}
        values[name] = _rebuilt(tree, before.type if before else None, field.type, current, (name,), value_for)
    return values


def _rebuilt(
    tree: Mapping[tuple[str, ...], ResolvedAssignment],
    old: DataType | None,
    new: DataType,
    current: str,
    names: tuple[str, ...],
    value_for: ValueFor,
) -> str:
    """SQL of a column or field in which the paths of `tree`, relative to it, have new values."""
    if () in tree:
        return value_for(tree[()].value, new, dotted(names))
    if not isinstance(new, StructType):
        some = next(iter(tree.values()))
        raise FieldOfNonStructError(column=dotted(some.names), parent=dotted(names), type=type_text(new))
    fields: list[str] = []
    for field in new:
        below = {rest[1:]: item for rest, item in tree.items() if rest[0].lower() == field.name.lower()}
        before = old.find(field.name) if isinstance(old, StructType) else None
        path = f"{current}.{quote(before.name)}" if before else f"CAST(NULL AS {sql_text(field.type)})"
        value = path
        if below:
            value = _rebuilt(below, before.type if before else None, field.type, path, (*names, field.name), value_for)
        elif before is not None and before.type != field.type:
            value = value_for(path, field.type, dotted((*names, field.name)))
        fields += [text_sql(field.name), value]
    return f"named_struct({', '.join(fields)})"


def dotted(names: Sequence[str]) -> str:
    """a.b.c, quoted where needed."""
    return ".".join(quote(name) for name in names)
