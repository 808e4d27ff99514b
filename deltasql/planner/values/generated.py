"""Generated columns: computed where a statement does not give them, checked where it does. Source: Delta protocol.

Type widening: the changes that a statement may make, and those that dependent expressions forbid.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from deltasql.base.errors.column_values import (
    GeneratedDependentError,
    GeneratedExpressionError,
    GeneratedFromRandomError,
    GeneratedTypeMismatchError,
)
from deltasql.base.errors.statements.constraints import ConstraintTypeMismatchError
from deltasql.base.settings.session_settings import AUTOMATIC_WIDENING
from deltasql.log.configuration.iceberg_compat import compat_keys
from deltasql.log.properties.property_registry import TYPE_WIDENING
from deltasql.log.properties.table_properties import TableProperties
from deltasql.log.replay.snapshot import Snapshot
from deltasql.plan import marks
from deltasql.plan.base import SqlText, quote
from deltasql.plan.operators import Constraint
from deltasql.planner.context import Context
from deltasql.planner.values.alignment import same_type
from deltasql.planner.values.char_types import padded
from deltasql.schema.lengths import declared_length
from deltasql.schema.paths import find_path, walk
from deltasql.schema.text import path_text, sql_text, type_text
from deltasql.schema.type_lattice import Widening
from deltasql.schema.types import DataType, StructField, StructType
from deltasql.sql.references import column_references, is_deterministic, refers_to
from deltasql.sql.stored_expressions import Use, bare, stored_refusal
from deltasql.sql.text_edits import Replacement, splice
from deltasql.sql.tokens import Token, closing, tokenize

GENERATION = "delta.generationExpression"


def generation_of(field: StructField) -> str | None:
    """The expression that a generated column is computed by; None for any other column."""
    expression = field.metadata.get(GENERATION)
    return None if expression is None else str(expression)


def generations(schema: StructType) -> dict[str, str]:
    """The expressions of the generated columns by name."""
    return {field.name: text for field in schema if (text := generation_of(field)) is not None}


def without_comments(expression: SqlText) -> SqlText:
    """`expression` without comments around it: one at its end would hide what follows it in SQL."""
    tokens = tokenize(expression.text)
    first, last = tokens[0], tokens[-1]
    return SqlText(expression.text[first.start : last.end], expression.start + first.start)


def base_columns(expression: str) -> frozenset[str]:
    """The columns, in lower case, that an expression is computed from."""
    return frozenset(reference.parts[0].lower() for reference in column_references(expression))


def stored_generation(field: StructField, schema: StructType) -> str:
    """SQL of the expression that a column of `schema` is computed by. Raises GeneratedExpressionError.

    A log may say anything there; what a statement may declare is in generation_checks.
    """
    expression = generation_of(field) or ""
    refused = stored_refusal(expression, Use.GENERATED, schema)
    if refused is None:
        return bare(expression)
    raise _unusable(field, refused.part, expression)


def _unusable(field: StructField, part: str, expression: str) -> GeneratedExpressionError:
    advice = (
        "The table's log says so: nothing is written while the column is there. Drop it, or copy the other columns."
    )
    return GeneratedExpressionError(quote(field.name), part, expression, advice)


def generated_sql(field: StructField, expression: str, values: Mapping[str, str]) -> str:
    """SQL of a generated column where `values` are SQL of the row's new values by column name.

    `expression` is its `stored_generation`. Raises GeneratedExpressionError for a name that is no column, which nobody
    has noticed in a text that cannot be parsed.
    """
    ends = {token.start: token.end for token in tokenize(expression)}
    folded = {name.lower(): sql for name, sql in values.items()}
    replacements = []
    for reference in column_references(expression):
        value = folded.get(reference.parts[0].lower())
        if value is None:
            raise _unusable(field, f"{reference.parts[0]}, which is no column of the table,", expression)
        replacements.append((reference.start, ends[reference.start], f"({value})"))
    return f"CAST({splice(expression, replacements).sql} AS {sql_text(field.type)})"


def recomputed(
    schema: StructType, assigned: Mapping[str, str], unchanged: Mapping[str, str], *, all_of_them: bool = False
) -> dict[str, str]:
    """SQL of the generated columns that change with the columns that are `assigned`, and are not assigned themselves.

    Of a new row that is `all_of_them`. `unchanged` are SQL of the values of all columns as they were. A value is
    written out once for each column that is computed from it, so that it must be the same each time: raises
    GeneratedFromRandomError.
    """
    generated = generations(schema)
    if not generated:
        return {}
    changed = {name.lower() for name in assigned}
    values = {}
    for name, expression in generated.items():
        base = base_columns(expression) & changed
        if name.lower() in changed or not (base or all_of_them):
            continue
        for column in (item for item in assigned if item.lower() in base):
            if not is_deterministic(assigned[column]):
                raise GeneratedFromRandomError(quote(column), assigned[column], quote(name))
        field = schema.find(name)
        assert field is not None
        computed = with_padded_literals(stored_generation(field, schema), schema)
        values[name] = generated_sql(field, computed, {**unchanged, **assigned})
    return values


def generated_checks(schema: StructType, columns: Collection[str]) -> tuple[Constraint, ...]:
    """The constraints of the generated columns among those for which a statement gives values."""
    folded = {name.lower() for name in columns}
    return tuple(
        Constraint(
            f"{marks.GENERATED}{quote(field.name)}", f"{quote(field.name)} <=> ({stored_generation(field, schema)})"
        )
        for field in schema
        if generation_of(field) is not None and field.name.lower() in folded
    )


def refuse_base_change(path: tuple[str, ...], operation: str, schema: StructType, table: str) -> None:
    """Raises GeneratedDependentError if a generated column is computed from the column at `path`, or a part of it."""
    for name, expression in generations(schema).items():
        if refers_to(expression, path):
            raise GeneratedDependentError(operation, path_text(path), quote(name), expression, table)


_COMPARES = frozenset({"=", "==", "<=>", "<", "<=", ">", ">=", "<>", "!="})
_BINDS_CLOSER = frozenset({"||", "+", "-", "*", "/", "%", "[", "::", "COLLATE", "."})


def with_padded_literals(expression: str, schema: StructType) -> str:
    """`expression` whose literals are as long as the CHAR column that they are compared with, by an operator or IN."""
    lengths = {
        field.name.lower(): length.length
        for field in schema
        if (length := declared_length(field)) is not None and length.kind == "char"
    }
    return splice(expression, _replacements(tokenize(expression), lengths)).sql if lengths else expression


def _replacements(tokens: Sequence[Token], lengths: dict[str, int]) -> Iterator[Replacement]:
    for index, token in enumerate(tokens):
        length = lengths.get(token.name.lower()) if token.is_name else None
        if length is None or _key(tokens, index - 1) == "." or _key(tokens, index + 1) in {".", "("}:
            continue
        for literal in _compared(tokens, index):
            yield literal.start, literal.end, padded(literal.text, length)


def _compared(tokens: Sequence[Token], column: int) -> Iterator[Token]:
    """The literals that the column at an index is compared with."""
    if _key(tokens, column + 1) in _COMPARES and _is_whole(tokens, column + 2):
        yield tokens[column + 2]
    if _key(tokens, column - 1) in _COMPARES and _is_whole(tokens, column - 2):
        yield tokens[column - 2]
    opening = column + (3 if _key(tokens, column + 1) == "NOT" else 2)
    if _key(tokens, opening - 1) == "IN" and _key(tokens, opening) == "(":
        inside = tokens[opening + 1 : closing(list(tokens), opening)]
        yield from (item for at, item in enumerate(inside) if _is_whole(inside, at))


def _is_whole(tokens: Sequence[Token], index: int) -> bool:
    """Whether a literal stands there that is no part of a longer operand."""
    is_literal = 0 <= index < len(tokens) and tokens[index].kind == "string"
    return is_literal and not {_key(tokens, index - 1), _key(tokens, index + 1)} & _BINDS_CLOSER


def _key(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].key if 0 <= index < len(tokens) else ""


def declared_widening(configuration: Mapping[str, str]) -> Widening:
    """Type widening allowed to ALTER TABLE. The commit refuses types that Iceberg cannot read, with its own error."""
    return Widening.ALWAYS if TableProperties(configuration)[TYPE_WIDENING] else Widening.NEVER


def automatic_widening(configuration: Mapping[str, str], context: Context) -> Widening:
    """Type widening allowed to schema evolution; with Iceberg compatibility only the changes that both formats have."""
    if not TableProperties(configuration)[TYPE_WIDENING]:
        return Widening.NEVER
    chosen = Widening(context.setting(AUTOMATIC_WIDENING))
    if chosen is Widening.NEVER or not compat_keys(configuration):
        return chosen
    return Widening.ICEBERG


def refuse_dependent_types(new: StructType, snapshot: Snapshot) -> None:
    """Raises ConstraintTypeMismatchError, GeneratedTypeMismatchError if evolution retypes a referenced column.

    The expression could then mean something else than when the existing rows were checked against it.
    """
    old = snapshot.schema
    if new is old:
        return
    for name, expression in snapshot.properties.constraints.items():
        for column, before, after in _retyped(expression, old, new):
            raise ConstraintTypeMismatchError(column, before, after, name, expression, snapshot.table)
    for path, field in walk(old):
        for column, before, after in _retyped(str(field.metadata.get(GENERATION, "")), old, new):
            raise GeneratedTypeMismatchError(column, before, after, path_text(path), snapshot.table)


def _retyped(expression: str, old: StructType, new: StructType) -> Iterator[tuple[str, str, str]]:
    """Columns of `expression` that have another type in `new`: path, type before and after."""
    if not expression:
        return
    for reference in column_references(expression):
        path = reference.parts
        before, after = _type_at(old, path), _type_at(new, path)
        if before is not None and after is not None and not same_type(before, after):
            yield path_text(path), type_text(before), type_text(after)


def _type_at(schema: StructType, path: tuple[str, ...]) -> DataType | None:
    resolved = find_path(schema, path)
    return None if resolved is None else resolved.field.type
