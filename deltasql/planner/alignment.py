"""SQL that brings values to the types of their columns: casts, structs field by field, and padded CHAR values.

Source: features of Delta's store assignment; structs inside arrays and maps follow the rule of structs. Values of
CHAR(n) and VARCHAR(n), at any depth of a column, are padded and cut where they are written. Source: Spark.

SET clauses of UPDATE and MERGE are resolved from paths and expressions to one SQL text per column. Columns of the rows
that are missing from their table are found for schema evolution.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import count
from urllib.parse import quote as percent_encoded

from deltasql.base import Caret, errors, session_settings
from deltasql.plan import ColumnPath, Constraint, base
from deltasql.planner.context import Context
from deltasql.schema import (
    BINARY,
    STORED_AS_NULL,
    STRING,
    TYPE_KEY,
    VOID,
    ArrayType,
    DataType,
    Length,
    MapType,
    Path,
    StructField,
    StructType,
    can_up_cast,
    declared_type,
    duplicate_columns,
    folded,
    has_lengths,
    is_shape,
    length_of,
    shape_parts,
    sql_text,
    text_sql,
    type_text,
)
from deltasql.schema import quote_name as quote


class StructRule(Enum):
    """How the fields of a struct value find those of its column."""

    BY_NAME = "the same names, in any order"
    BY_NAME_LENIENT = "by name; a missing field becomes NULL"
    BY_POSITION = "the same number, in order"
    BY_NAME_OR_POSITION = "the same names in any order, or other names in order"
    """INSERT by position: a value never goes into another field than the one that has its name."""


@dataclass(frozen=True, slots=True)
class Casts:
    """Casts of values to column types, under spark.sql.storeAssignmentPolicy.

    A value that does not fit is an error (ANSI, STRICT) or NULL (LEGACY). `guarded` is True while
    spark.sql.ansi.enabled is false: Spark's own CAST would then give another value. That setting applies to the user's
    expressions, not to stored values.
    """

    policy: str = "ANSI"
    guarded: bool = False

    def sql(self, value: str, target: DataType, column: str) -> str:
        """SQL of `value` cast to the column's type."""
        kind = sql_text(target)
        if self.policy == "LEGACY":
            return f"TRY_CAST({value} AS {kind})"
        if not self.guarded or value == "NULL":
            return f"CAST({value} AS {kind})"
        if is_path(value):
            return _guarded(value, kind, column)
        # As for structs: the value is computed once.
        return f"element_at(transform(array({value}), {_BOUND} -> {_guarded(_BOUND, kind, column)}), 1)"


_BOUND = "__value"


def _guarded(value: str, kind: str, column: str) -> str:
    mark = text_sql(f"{base.CAST}{percent_encoded(column)}|{percent_encoded(kind)}|")
    report = f"concat({mark}, typeof({value}), '|', CAST({value} AS STRING))"
    raised = f"CAST(raise_error({report}) AS {kind})"
    return f"coalesce(TRY_CAST({value} AS {kind}), IF({value} IS NULL, NULL, {raised}))"


@dataclass(frozen=True, slots=True)
class Alignment:
    """Brings values to column types.

    `statement` is MERGE or INSERT, for advice: these can evolve the schema.
    """

    rule: StructRule
    table: str
    casts: Casts = Casts()
    statement: str = ""

    def value(self, sql: str, source: DataType, target: DataType, column: str) -> str:
        """SQL of type `target` for the expression `sql` of type `source`, which is stored in `column`.

        Raises NestedColumnsMismatchError, NestedArityError, NestedOrderError, StructTypeMismatchError or
        StrictAssignmentError.
        """
        return self._align(sql, source, target, column, count())

    def _align(self, sql: str, source: DataType, target: DataType, column: str, names: count[int]) -> str:
        if same_type(source, target):
            return sql
        match source, target:
            case StructType(), StructType():
                return self._struct(sql, source, target, column, names)
            case ArrayType(), ArrayType():
                item = f"__x{next(names)}"
                body = self._align(item, source.element, target.element, f"{column}.element", names)
                return f"transform({sql}, {item} -> {body})"
            case MapType(), MapType():
                entry = f"__x{next(names)}"
                key = self._align(f"{entry}.key", source.key, target.key, f"{column}.key", names)
                value = self._align(f"{entry}.value", source.value, target.value, f"{column}.value", names)
                return f"map_from_entries(transform(map_entries({sql}), {entry} -> struct({key}, {value})))"
            case _:
                return self._cast(sql, source, target, column)

    def cast(self, sql: str, target: DataType, column: str) -> str:
        """SQL of a value that needs a cast only, no alignment of fields."""
        return self.casts.sql(sql, target, column)

    def _cast(self, sql: str, source: DataType, target: DataType, column: str) -> str:
        if target == VOID and source != VOID:
            raise self._void(type_text(source), column)
        if isinstance(source, StructType) != isinstance(target, StructType) and source != VOID:
            raise errors.StructTypeMismatchError(column=column, target=type_text(target), source=type_text(source))
        if is_shape(target) and source != VOID:
            return self._shape(sql, source, target, column)
        if self.casts.policy == "STRICT" and not can_up_cast(source, target):
            raise errors.StrictAssignmentError(column=column, target=type_text(target), source=type_text(source))
        if can_up_cast(source, target):
            return f"CAST({sql} AS {sql_text(target)})"
        return self.cast(sql, target, column)

    def _shape(self, sql: str, source: DataType, target: DataType, column: str) -> str:
        """SQL of a GEOMETRY(ANY) or GEOGRAPHY(ANY) as the type of its column. It is an error if the systems differ."""
        (kind, srid), given = shape_parts(target) or ("", ""), shape_parts(source)
        if given != (kind, "any"):
            advice = _shape_advice(source, kind, srid, given)
            raise errors.NoCastError(column, self.table, type_text(source), type_text(target), advice)
        place = f"Column {column} of {self.table}".replace("|", "")
        words = f"{place} is {type_text(target)}, and a value for it has the SRID "
        start = text_sql(f"{base.RAISED}GEO_ENCODER_SRID_MISMATCH_ERROR|42K09|{words}")
        end = text_sql(f". Change it by st_transform(value, {srid}), or by st_setsrid(value, {srid}).|")
        raised = f"raise_error(concat({start}, CAST(st_srid({_BOUND}) AS STRING), {end}))"
        checked = f"st_setsrid(IF(st_srid({_BOUND}) = {srid}, {_BOUND}, {raised}), {srid})"
        body = f"IF({_BOUND} IS NULL, NULL, {checked})"
        return f"element_at(transform(array({sql}), {_BOUND} -> {body}), 1)"

    def _void(self, source: str, column: str) -> errors.VoidColumnError:
        advice = f"Give it a type first: ALTER TABLE {self.table} ALTER COLUMN {column} TYPE {source}."
        if self.statement:
            advice = f"Let it take that type: {self.statement} WITH SCHEMA EVOLUTION INTO {self.table} …."
        return errors.VoidColumnError(column=column, table=self.table, source=source, advice=advice)

    def _struct(self, sql: str, source: StructType, target: StructType, column: str, names: count[int]) -> str:
        pairs = self._pairs(source, target, column)
        if is_path(sql):
            return self._fields(sql, pairs, target, column, names)
        # The value is bound to a name once, whatever it costs to compute, and its fields are read from there.
        name = f"__x{next(names)}"
        return f"element_at(transform(array({sql}), {name} -> {self._fields(name, pairs, target, column, names)}), 1)"

    def _fields(
        self,
        sql: str,
        pairs: list[tuple[StructField | None, StructField]],
        target: StructType,
        column: str,
        names: count[int],
    ) -> str:
        fields = []
        for field, target_item in pairs:
            if field is None:
                value = f"CAST(NULL AS {sql_text(target_item.type)})"
            else:
                path = f"{sql}.{quote(field.name)}"
                value = self._align(path, field.type, target_item.type, f"{column}.{quote(target_item.name)}", names)
            fields += [text_sql(target_item.name), value]
        return (
            f"CASE WHEN {sql} IS NULL THEN CAST(NULL AS {sql_text(target)}) ELSE named_struct({', '.join(fields)}) END"
        )

    def _pairs(
        self, source: StructType, target: StructType, column: str
    ) -> list[tuple[StructField | None, StructField]]:
        """Each field of the column with the field of the value that fills it, or None for NULL."""
        match self.rule:
            case StructRule.BY_POSITION:
                return self._by_position(source, target, column)
            case StructRule.BY_NAME_OR_POSITION:
                return self._by_name_or_position(source, target, column)
        unknown = [field.name for field in source if target.find(field.name, case_sensitive=False) is None]
        pairs = [(source.find(field.name, case_sensitive=False), field) for field in target]
        incomplete = any(source_field is None for source_field, _ in pairs)
        if unknown or duplicate_columns(source) or (incomplete and self.rule is StructRule.BY_NAME):
            raise self._mismatch(source, target, column)
        return pairs

    def _by_position(
        self, source: StructType, target: StructType, column: str
    ) -> list[tuple[StructField | None, StructField]]:
        if len(source) != len(target):
            raise errors.NestedArityError(column=column, table=self.table, expected=len(target), given=len(source))
        return list(zip(source.fields, target.fields, strict=True))

    def _by_name_or_position(
        self, source: StructType, target: StructType, column: str
    ) -> list[tuple[StructField | None, StructField]]:
        pairs = self._by_position(source, target, column)
        if {name.lower() for name in source.names} == {name.lower() for name in target.names}:
            return [(source.find(field.name, case_sensitive=False), field) for field in target]
        for source_field, target_field in pairs:
            assert source_field is not None
            same_name = target.find(source_field.name, case_sensitive=False)
            if same_name is not None and same_name != target_field:
                raise errors.NestedOrderError(
                    column=column,
                    field=quote(source_field.name),
                    place=quote(target_field.name),
                    source=type_text(source),
                    target=type_text(target),
                )
        return pairs

    def _mismatch(self, source: StructType, target: StructType, column: str) -> errors.NestedColumnsMismatchError:
        missing = [field.name for field in target if source.find(field.name, case_sensitive=False) is None]
        extra = [field.name for field in source if target.find(field.name, case_sensitive=False) is None]
        parts = []
        if missing:
            parts.append(f" Missing in the value: {', '.join(missing)}.")
        if twice := duplicate_columns(source):
            parts.append(f" Twice in the value: {', '.join(twice)}.")
        if extra:
            evolution = f"; {self.statement} WITH SCHEMA EVOLUTION would add them" if self.statement else ""
            parts.append(f" Not in the table: {', '.join(extra)}{evolution}.")
        return errors.NestedColumnsMismatchError(
            source=type_text(source), target=type_text(target), column=column, advice="".join(parts)
        )


def _shape_advice(source: DataType, kind: str, srid: str, given: tuple[str, str] | None) -> str:
    """A sentence on how a value becomes a GEOMETRY or GEOGRAPHY of the system `srid`."""
    functions = "st_geomfrom" if kind == "geometry" else "st_geogfrom"
    more = f", {srid}" if kind == "geometry" else ""
    if source == BINARY:
        return f"Read the bytes: {functions}wkb(value{more})."
    if source == STRING:
        return f"Read the text: {functions}text(value{more})."
    if given is None:
        return ""
    if given[0] == kind:
        return f"Change the coordinates by st_transform(value, {srid}), or the number by st_setsrid(value, {srid})."
    return f"Read it anew: {functions}wkb(st_asbinary(value){more})."


def updated_struct(
    source_sql: str,
    source: DataType,
    target_sql: str,
    old: DataType | None,
    new: DataType,
    align: Alignment,
    column: str,
) -> str:
    """SQL of `UPDATE SET *` for one column: fields that only the target has keep their value.

    `old` is the column's type before the statement (None: the statement adds it), `new` its type afterwards.
    A NULL source struct stays NULL unless the target has fields of its own to keep.
    """
    if not (isinstance(source, StructType) and isinstance(old, StructType) and isinstance(new, StructType)):
        return align.value(source_sql, source, new, column)
    unchanged = [field for field in new if source.find(field.name, case_sensitive=False) is None]
    if not unchanged and not _deeper(source, old, new):
        return align.value(source_sql, source, new, column)

    def value_of(field: StructField) -> str:
        new_field, before = source.find(field.name, case_sensitive=False), old.find(field.name, case_sensitive=False)
        old_path = f"{target_sql}.{quote(before.name)}" if before else f"CAST(NULL AS {sql_text(field.type)})"
        if new_field is not None:
            path, inner = f"{source_sql}.{quote(new_field.name)}", f"{column}.{quote(field.name)}"
            return updated_struct(
                path, new_field.type, old_path, before.type if before else None, field.type, align, inner
            )
        return align.value(old_path, before.type, field.type, column) if before else old_path

    fields = [part for field in new for part in (text_sql(field.name), value_of(field))]
    nothing = f"{source_sql} IS NULL" + (f" AND {target_sql} IS NULL" if unchanged else "")
    return f"CASE WHEN {nothing} THEN CAST(NULL AS {sql_text(new)}) ELSE named_struct({', '.join(fields)}) END"


def _deeper(source: StructType, old: StructType, new: StructType) -> bool:
    """Whether some nested struct of the target has a field that the source lacks."""
    for field in new:
        given_field, before = source.find(field.name, case_sensitive=False), old.find(field.name, case_sensitive=False)
        if given_field is None:
            return True
        nested = isinstance(given_field.type, StructType) and isinstance(before and before.type, StructType)
        if nested and _deeper(given_field.type, before.type, field.type):  # type: ignore[union-attr, arg-type]
            return True
    return False


def same_type(left: DataType, right: DataType) -> bool:
    """Equality of types as values: field names count, nullability and metadata do not."""
    match left, right:
        case StructType(), StructType():
            return len(left) == len(right) and all(
                a.name == b.name and same_type(a.type, b.type) for a, b in zip(left, right, strict=True)
            )
        case ArrayType(), ArrayType():
            return same_type(left.element, right.element)
        case MapType(), MapType():
            return same_type(left.key, right.key) and same_type(left.value, right.value)
        case _:
            return left == right


def is_path(sql: str) -> bool:
    """Whether the text is a plain chain of names, which may be evaluated many times at no cost."""
    bare = sql.replace("``", "")
    outside = "".join(bare.split("`")[::2])
    return bool(sql) and all(char.isalnum() or char in "_." for char in outside)


def store_casts(context: Context) -> Casts:
    """The casts of the session's policy. Raises InvalidSettingError."""
    # What Spark's own default is, Spark itself says where it was handed in.
    return Casts(context.setting(session_settings.STORE_ASSIGNMENT), guarded=not context.setting(session_settings.ANSI))


def new_columns(source: DataType, table: DataType, path: Path = ()) -> Iterator[Path]:
    """The paths in `source` that are missing from `table`; of nested ones only the outermost."""
    match source, table:
        case StructType(), StructType():
            for field in source:
                existing = table.find(field.name)
                if existing is None:
                    yield (*path, field.name)
                    continue
                yield from new_columns(field.type, existing.type, (*path, existing.name))
        case ArrayType(), ArrayType():
            yield from new_columns(source.element, table.element, (*path, "element"))
        case MapType(), MapType():
            yield from new_columns(source.key, table.key, (*path, "key"))
            yield from new_columns(source.value, table.value, (*path, "value"))
        case _:
            return


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
                error = errors.ConflictingAssignmentsError(columns=(dotted(first.written), dotted(second.written)))
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
        raise errors.FieldOfNonStructError(column=dotted(some.names), parent=dotted(names), type=type_text(new))
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


def stored(field: StructField, sql: str, partitions: Collection[str] = ()) -> str:
    """SQL of the value as it is stored: CHAR is padded with blanks, blanks beyond the length are cut off.

    In one of the columns `partitions` an empty text is stored as NULL, so that every check must see NULL.
    """
    declared = declared_type(field)
    value = _stored(sql, declared, count()) if has_lengths(declared) else sql
    if field.name in partitions and not value.startswith(("NULL", "CAST(NULL AS ")):
        for nothing in _NULL_IN_PARTITIONS.get(field.type, ()):
            value = f"nullif({value}, {nothing})"
    return value


_NULL_IN_PARTITIONS: Mapping[DataType, tuple[str, ...]] = {
    STRING: tuple(map(text_sql, STORED_AS_NULL)),
    BINARY: ("X''",),
}
"""SQL of the values that a partition column stores as NULL."""


def padded(sql: str, length: int) -> str:
    """SQL of a text padded with blanks to a length; a longer one stays as it is."""
    return f"rpad({sql}, greatest(length({sql}), {length}), ' ')"


def length_checks(field: StructField) -> Iterator[Constraint]:
    """The constraints on the length of a column's texts, one for each length in its type."""
    if TYPE_KEY in field.metadata:
        yield from _checks((field.name,), quote(field.name), declared_type(field), lambda condition: condition, count())


def _stored(sql: str, declared: DataType, names: count[int]) -> str:
    length = length_of(declared)
    if length is not None:
        return _fitted(sql, length)
    if not has_lengths(declared):
        return sql
    match declared:
        case StructType():
            return _bound(sql, lambda name: _struct(name, declared, names), names)
        case ArrayType(element):
            item = f"__c{next(names)}"
            return f"transform({sql}, {item} -> {_stored(item, element, names)})"
        case MapType(key, value):
            item = f"__c{next(names)}"
            pair = f"struct({_stored(f'{item}.key', key, names)}, {_stored(f'{item}.value', value, names)})"
            return f"map_from_entries(transform(map_entries({sql}), {item} -> {pair}))"
        case _:
            return sql


def _fitted(sql: str, declared: Length) -> str:
    filled = padded(f"rtrim({sql})", declared.length)
    if declared.kind == "char":
        return filled
    return f"CASE WHEN length({sql}) > {declared.length} THEN {filled} ELSE {sql} END"


def _struct(sql: str, declared: StructType, names: count[int]) -> str:
    pairs = (
        f"{text_sql(field.name)}, {_stored(f'{sql}.{quote(field.name)}', field.type, names)}" for field in declared
    )
    return f"CASE WHEN {sql} IS NOT NULL THEN named_struct({', '.join(pairs)}) END"


def _bound(sql: str, use: Callable[[str], str], names: count[int]) -> str:
    """`use` applied to `sql`, through a lambda if `sql` is no plain path, so that it is computed once."""
    if is_path(sql):
        return use(sql)
    name = f"__c{next(names)}"
    return f"element_at(transform(array({sql}), {name} -> {use(name)}), 1)"


def _checks(
    path: tuple[str, ...], sql: str, declared: DataType, whole: Callable[[str], str], names: count[int]
) -> Iterator[Constraint]:
    """The length constraints of a value of type `declared`.

    `sql` is the part at `path`, or an item of it; `whole` turns a condition on it into one on the column.
    """
    length = length_of(declared)
    if length is not None:
        condition = f"{sql} IS NULL OR length({sql}) <= {length.length}"
        yield Constraint(f"{base.LENGTH}{'.'.join(map(quote, path))}|{length.length}", whole(condition))
        return
    match declared:
        case StructType():
            for field in declared:
                yield from _checks((*path, field.name), f"{sql}.{quote(field.name)}", field.type, whole, names)
        case ArrayType(element):
            yield from _each((*path, "element"), sql, element, whole, names)
        case MapType(key, value):
            yield from _each((*path, "key"), f"map_keys({sql})", key, whole, names)
            yield from _each((*path, "value"), f"map_values({sql})", value, whole, names)
        case _:
            return


def _each(
    path: tuple[str, ...], sql: str, element: DataType, whole: Callable[[str], str], names: count[int]
) -> Iterator[Constraint]:
    item = f"__c{next(names)}"

    def all_of(condition: str) -> str:
        return whole(f"{sql} IS NULL OR forall({sql}, {item} -> {condition})")

    yield from _checks(path, item, element, all_of, names)
