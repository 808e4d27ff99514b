"""SQL text with parts replaced, and the way back from an offset in it to the user's own text.

Reads names of tables and columns only, whatever stands around them; text that is not replaced stays byte for byte.

current_schema(), current_database() and current_catalog() as literals, since Spark has other current names.

Works on the tokens of any text; a call that may not be a whole column gets no alias.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from deltasql.plan import quote
from deltasql.schema import folded, sql_literal
from deltasql.sql.queries.relations import TableReference, table_references
from deltasql.sql.references import name_chains
from deltasql.sql.tokens import Token, tokenize

Replacement = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Spliced:
    """`sql` is the new text; `replacements` are spans of the original text in order, each with its new text."""

    sql: str
    replacements: tuple[Replacement, ...] = ()

    def to_original(self, offset: int) -> int:
        """Where the character at `offset` of `sql` stands in the original; within a new text, where that begins."""
        shift = 0
        for start, end, text in self.replacements:
            if offset < start + shift:
                break
            if offset < start + shift + len(text):
                return start
            shift += len(text) - (end - start)
        return offset - shift


def splice(sql: str, replacements: Iterable[Replacement]) -> Spliced:
    """`sql` with each span (start, end) replaced by its text. Spans must not overlap: ValueError."""
    ordered = tuple(sorted(replacements))
    pieces, at = [], 0
    for start, end, text in ordered:
        if start < at:
            raise ValueError(f"replacement at {start} overlaps the one that ends at {at}")
        pieces += [sql[at:start], text]
        at = end
    return Spliced("".join([*pieces, sql[at:]]), ordered)


def bind(
    sql: str,
    views: Mapping[int, str],
    qualifiers: Mapping[tuple[str, ...], str] | None = None,
    others: Iterable[Replacement] = (),
) -> Spliced:
    """`sql` with table references replaced by views; `views` has a view's name per index in `table_references(sql)`.

    A reference without an alias gets its own last part as one, so that `t.a` still resolves; `db.t.a` is shortened to
    that. `qualifiers` are names of tables outside `sql` by which it may call columns, each with what replaces it.
    `others` are replacements that have nothing to do with names of tables.
    """
    references = table_references(sql)
    replacements = [new for index, view in views.items() for new in _bound(references[index], view)]
    names = {folded(parts): alias for parts, alias in (qualifiers or {}).items()}
    for reference in (references[index] for index in views):
        names |= _shorter_names(reference)
    spans = [(reference.start, reference.end) for reference in references]
    aliases = {reference.alias.lower() for reference in references if reference.alias is not None}
    for chain in name_chains(tokenize(sql)):
        if not _within(chain[0].start, spans):
            replacements += _shortened(chain, sql, names, aliases)
    return splice(sql, [*replacements, *others])


def _shorter_names(reference: TableReference) -> dict[tuple[str, ...], str]:
    """The names of more than one part by which a query may call the columns of a table without an alias."""
    parts = reference.parts if reference.alias is None else ()
    return {folded(parts[start:]): parts[-1] for start in range(len(parts) - 1)}


def _bound(reference: TableReference, view: str) -> Iterator[Replacement]:
    # The body of WITH c AS (SHOW TABLES) must stay a query.
    name = (
        quote(view) if reference.statement is None or reference.alias_at is not None else f"SELECT * FROM {quote(view)}"
    )
    if reference.alias is not None or reference.alias_at is None:
        yield reference.start, reference.end, name
        return
    # In back-ticks always: some key words are names, but not aliases.
    alias = " AS `" + reference.parts[-1].replace("`", "``") + "`"
    if reference.alias_at == reference.end:
        yield reference.start, reference.end, name + alias
        return
    yield reference.start, reference.end, name
    yield reference.alias_at, reference.alias_at, alias


def _within(offset: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= offset < end for start, end in spans)


def _shortened(
    chain: Sequence[Token], sql: str, names: Mapping[tuple[str, ...], str], aliases: set[str]
) -> Iterator[Replacement]:
    """The longest of `names` that `chain` begins with, as its short form; an alias of that name goes first."""
    parts = folded([token.name for token in chain])
    longest = len(parts) - 1 + _ends_in_star(sql, chain[-1].end)
    for length in range(longest, 0, -1):
        if parts[:length] in names and parts[0] not in aliases:
            yield chain[0].start, chain[length - 1].end, quote(names[parts[:length]])
            return


def _ends_in_star(sql: str, at: int) -> bool:
    rest = sql[at:].lstrip()
    return rest.startswith(".") and rest[1:].lstrip().startswith("*")


_FUNCTIONS = {"current_schema": 1, "current_database": 1, "current_catalog": 0}
_SHOWN = {"current_database": "current_schema"}
_QUALIFIERS = (["builtin"], ["system", "builtin"])
_ITEM_ENDS = frozenset(
    {
        *(
            ",",
            "",
            ")",
            ";",
            "|>",
            "FROM",
            "WHERE",
            "GROUP",
            "ORDER",
            "HAVING",
            "LIMIT",
            "UNION",
            "EXCEPT",
            "INTERSECT",
        ),
        *("MINUS", "LATERAL", "WINDOW", "QUALIFY"),
    }
)
_CLAUSES = frozenset(
    {"FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "VALUES", "SET", "ON", "WHEN", "BY", "THEN"}
)


def current_names(sql: str, current: tuple[str, str]) -> Iterator[Replacement]:
    """Replacements of these calls in `sql` by literals of the `current` catalog and schema.

    A call that is a whole column of a SELECT gets Spark's name of the column as alias.
    """
    if "current_" not in sql.lower():
        return
    tokens = tokenize(sql)
    for index, token in enumerate(tokens):
        name = token.name.lower() if token.is_name else ""
        if name not in _FUNCTIONS or [item.key for item in tokens[index + 1 : index + 3]] != ["(", ")"]:
            continue
        first = _first(tokens, index)
        if first is None:
            continue
        literal = sql_literal(current[_FUNCTIONS[name]])
        after = tokens[index + 3].key if index + 3 < len(tokens) else ""
        is_column = after in _ITEM_ENDS and _begins_column(tokens, first)
        shown = f" AS `{_SHOWN.get(name, name)}()`" if is_column else ""
        yield tokens[first].start, tokens[index + 2].end, literal + shown


def _first(tokens: Sequence[Token], index: int) -> int | None:
    """The index of the first token of a call, with its qualifiers; None for a function of another schema."""
    first = index
    while first >= 2 and tokens[first - 1].key == "." and tokens[first - 2].is_name:
        first -= 2
    qualifiers = [token.name.lower() for token in tokens[first:index:2]]
    return first if not qualifiers or qualifiers in _QUALIFIERS else None


def _begins_column(tokens: Sequence[Token], index: int) -> bool:
    """Whether an item of a SELECT list begins at `index`."""
    if index == 0 or tokens[index - 1].key not in {"SELECT", "DISTINCT", "ALL", ","}:
        return False
    depth = 0
    for token in reversed(tokens[:index]):
        depth += (token.key in {")", "]"}) - (token.key in {"(", "["})
        if depth < 0 or (depth == 0 and token.key in _CLAUSES):
            return False
        if depth == 0 and token.key == "SELECT":
            return True
    return False
