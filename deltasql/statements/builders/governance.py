"""Privileges, owners, row filters, column masks, and securables without data."""

from __future__ import annotations

from typing import Any

from deltasql.base.errors.base import Caret
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.plan.base import SqlText, TableName
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.sql.parser.rules.names import Clause
from deltasql.sql.tokens import Token, comma_separated, tokenize
from deltasql.statements.builders.securable_clauses import read_alteration, read_clauses
from deltasql.statements.nodes.governance import (
    AlterSecurable,
    ChangeGrants,
    ColumnMask,
    CreateSecurable,
    PolicyArgument,
    Privilege,
    RowFilterClause,
    SecurableName,
    SetMask,
    SetOwner,
    SetRowFilter,
    ShowGrants,
    ShowSecurables,
    ShowShare,
)

_CLASSES = {
    name: name.replace("_", " ").upper()
    for name in (
        *("connection", "credential", "storage_credential", "service_credential", "external_location", "share"),
        *("recipient", "provider", "group"),
    )
}
_NAMED = {
    "plain_securable": "",
    "table_securable": "TABLE",
    "view_securable": "VIEW",
    "materialized_view_securable": "MATERIALIZED VIEW",
    "streaming_table_securable": "STREAMING TABLE",
    "schema_securable": "SCHEMA",
    "catalog_securable": "CATALOG",
    "function_securable": "FUNCTION",
    "procedure_securable": "PROCEDURE",
    "metastore_securable": "METASTORE",
    "volume_securable": "VOLUME",
    "file_securable": "ANY FILE",
    "anonymous_securable": "ANONYMOUS FUNCTION",
}
_OWNED = {f"set_{kind.lower()}_owner": kind for kind in ("TABLE", "VIEW", "SCHEMA", "CATALOG", "FUNCTION", "VOLUME")}
_CREATED = {f"create_{name}": kind for name, kind in _CLASSES.items()}
_SHOWN = {f"show_{name}s": kind for name, kind in _CLASSES.items()}
_VERBS = ("grant", "revoke", "deny")


@builds("select_word")
def _select(children: list[Any], tree: Tree, text: str) -> str:
    return "SELECT"


@builds("privilege")
def _privilege(children: list[Any], tree: Tree, text: str) -> Privilege:
    words = " ".join(children).upper()
    return Privilege("ALL PRIVILEGES" if words == "ALL" else words, tree.start, tree.end)


@builds("principal", "recipient_principal")
def _principal(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[0])


@builds(*_NAMED)
def _securable(children: list[Any], tree: Tree, text: str) -> SecurableName:
    return SecurableName(_NAMED[tree.name], children[0] if children else None, tree.start, tree.end)


@builds("classed_securable")
def _classed(children: list[Any], tree: Tree, text: str) -> SecurableName:
    kind, name = children
    return SecurableName(kind, name, tree.start, tree.end)


@builds(*(f"{name}_class" for name in _CLASSES))
def _class(children: list[Any], tree: Tree, text: str) -> str:
    return _CLASSES[tree.name.removesuffix("_class")]


@builds(*(f"{verb}_privileges" for verb in _VERBS))
def _grants(children: list[Any], tree: Tree, text: str) -> ChangeGrants:
    return ChangeGrants(tree.name.removesuffix("_privileges").upper(), *children)


@builds("show_all_grants")
def _show_all(children: list[Any], tree: Tree, text: str) -> ShowGrants:
    return ShowGrants(None, children[0])


@builds("show_grants_of")
def _show_of(children: list[Any], tree: Tree, text: str) -> ShowGrants:
    principal, securable = children
    return ShowGrants(principal, securable)


@builds("show_recipient_grants")
def _show_recipient(children: list[Any], tree: Tree, text: str) -> ShowGrants:
    return ShowGrants(None, None, children[0])


@builds(*_OWNED)
def _set_owner(children: list[Any], tree: Tree, text: str) -> SetOwner:
    name, principal = children
    return SetOwner(SecurableName(_OWNED[tree.name], name, name.start, name.end), principal)


@builds("set_row_filter", "drop_row_filter")
def _set_row_filter(children: list[Any], tree: Tree, text: str) -> SetRowFilter:
    table, *policy = children
    return SetRowFilter(table, policy[0] if policy else None)


@builds("row_filter")
def _row_filter(children: list[Any], tree: Tree, text: str) -> RowFilterClause:
    function, arguments = children
    return RowFilterClause(function, _arguments(arguments, text), tree.start, tree.end)


@builds("set_mask", "drop_mask")
def _set_mask(children: list[Any], tree: Tree, text: str) -> SetMask:
    table, column, *mask = children
    return SetMask(table, column, mask[0] if mask else None)


@builds("column_mask")
def _column_mask(children: list[Any], tree: Tree, text: str) -> ColumnMask:
    function, arguments = children
    return ColumnMask(function, () if arguments is None else _arguments(arguments, text), tree.start, tree.end)


@builds("row_filter_clause")
def _row_filter_clause(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("row_filter", children[0])


@builds("mask_option")
def _mask_option(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("mask", children[0])


def _arguments(written: SqlText, text: str) -> tuple[PolicyArgument, ...]:
    """The columns and constants between the parentheses."""
    tokens = tokenize(written.text)[1:-1]
    return tuple(_argument(item, written, text) for item in comma_separated(tokens)) if tokens else ()


def _argument(tokens: list[Token], written: SqlText, text: str) -> PolicyArgument:
    """Raises ParseSyntaxError for what is neither a column nor a constant."""
    if not tokens:
        reason = "An argument is missing: the arguments are columns or constants, with commas between them."
        raise ParseSyntaxError(reason, written.text).at(Caret(text, written.start, written.end))
    start, end = written.start + tokens[0].start, written.start + tokens[-1].end
    if _is_constant(tokens):
        return PolicyArgument(text[start:end], False, start, end)
    if len(tokens) == 1 and tokens[0].is_name:
        return PolicyArgument(tokens[0].name, True, start, end)
    reason = "The arguments of a row filter and of a mask are columns of the table, and constants."
    raise ParseSyntaxError(reason, text[start:end]).at(Caret(text, start, end))


def _is_constant(tokens: list[Token]) -> bool:
    """Whether tokens are a literal, which may have a sign or a type before it."""
    *before, last = tokens
    if not before:
        return last.kind in {"number", "string"} or last.key in {"TRUE", "FALSE", "NULL"}
    signed = before[0].key in {"-", "+"} and last.kind == "number"
    typed = before[0].key in {"DATE", "TIMESTAMP"} and last.kind == "string"
    return len(before) == 1 and (signed or typed)


@builds(*_CREATED)
def _create(children: list[Any], tree: Tree, text: str) -> CreateSecurable:
    *mode, if_not_exists, name, rest = children
    if mode and mode[0] != "create":
        raise ParseSyntaxError("An external location is changed by ALTER EXTERNAL LOCATION.", "OR REPLACE").at(
            Caret(text, tree.children[0].start, tree.children[0].end)
        )
    kind = _CREATED[tree.name]
    return CreateSecurable(kind, if_not_exists, name, *read_clauses(kind, rest, text))


@builds("alter_securable")
def _alter(children: list[Any], tree: Tree, text: str) -> AlterSecurable:
    kind, name, rest = children
    return AlterSecurable(kind, name, **read_alteration(kind, rest, text))


@builds(*_SHOWN)
def _show(children: list[Any], tree: Tree, text: str) -> ShowSecurables:
    *member, pattern = children
    return ShowSecurables(_SHOWN[tree.name], member[0] if member else None, pattern)


@builds("show_share", "show_provider_shares")
def _show_share(children: list[Any], tree: Tree, text: str) -> ShowShare:
    name: TableName = children[0]
    return ShowShare("SHARE" if tree.name == "show_share" else "PROVIDER", name)
