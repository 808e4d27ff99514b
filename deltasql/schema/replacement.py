"""ALTER TABLE … REPLACE COLUMNS: the new schema of a table, without a rewrite of its files."""

from __future__ import annotations

from dataclasses import replace

from deltasql.base.errors.statements.columns import AmbiguousChangeError, CannotChangeTypeError, ReplaceColumnsError
from deltasql.schema.checks import check_duplicates
from deltasql.schema.paths import Path
from deltasql.schema.text import path_text, type_text
from deltasql.schema.type_lattice import Widening, can_widen
from deltasql.schema.types import VOID, ArrayType, DataType, MapType, StructField, StructType
from deltasql.schema.widening import record_type_changes


def replace_columns(
    schema: StructType,
    new: StructType,
    *,
    may_drop: bool = False,
    widening: Widening = Widening.NEVER,
    where: str = "the table",
) -> StructType:
    """The table's schema after REPLACE COLUMNS with `new`: `new`'s columns in its order.

    A column of the same name (without case) keeps its spelling, its metadata and, unless `new` has one, its comment.
    Columns may be added, nullable; dropped with `may_drop`, which column mapping permits; types may widen.
    Raises ReplaceColumnsError, CannotChangeTypeError, AmbiguousChangeError (adds and drops in one struct) and
    DuplicateColumnsError.
    """
    check_duplicates(new, "REPLACING_COLUMNS", where)
    return _Replacement(may_drop, widening).struct(schema, new, ())


class _Replacement:
    """The rules of one statement, applied struct by struct."""

    def __init__(self, may_drop: bool, widening: Widening) -> None:
        self.may_drop = may_drop
        self.widening = widening

    def struct(self, old: StructType, new: StructType, path: Path) -> StructType:
        dropped = [path_text((*path, field.name)) for field in old if new.find(field.name) is None]
        added = [path_text((*path, field.name)) for field in new if old.find(field.name) is None]
        if dropped and not self.may_drop:
            columns = ", ".join(dropped)
            raise ReplaceColumnsError(f"dropping column(s) {columns} needs 'delta.columnMapping.mode' = 'name'")
        if dropped and added:
            raise AmbiguousChangeError(path_text(path) if path else "the columns", added, dropped)
        return StructType(tuple(self.field(old.find(field.name), field, path) for field in new))

    def field(self, old: StructField | None, new: StructField, path: Path) -> StructField:
        column = path_text((*path, new.name))
        if not new.nullable and (old is None or old.nullable):
            raise ReplaceColumnsError(f"column {column} cannot be NOT NULL, because rows may hold NULL in it")
        if old is None:
            return new
        merged = self.type(old.type, new.type, (*path, old.name))
        comment = {} if new.comment is None else {"comment": new.comment}
        field = replace(old, type=merged, nullable=new.nullable, metadata={**old.metadata, **comment})
        return field if old.type == VOID else record_type_changes(old, field)

    def type(self, old: DataType, new: DataType, path: Path) -> DataType:
        match old, new:
            case StructType(), StructType():
                return self.struct(old, new, path)
            case ArrayType(a), ArrayType(b):
                return replace(old, element=self.type(a, b, (*path, "element")))
            case MapType(a, x), MapType(b, y):
                return replace(old, key=self.type(a, b, (*path, "key")), value=self.type(x, y, (*path, "value")))
            case _ if old in (new, VOID) or can_widen(old, new, self.widening):
                return new
            case _:
                raise CannotChangeTypeError(path_text(path), type_text(old), type_text(new))
