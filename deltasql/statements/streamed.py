"""Texts of queries that read streams: which of them new rows alone continue, and which all rows are needed for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deltasql.base import Token, TokenCursor, calls, closing, comma_separated, errors, tokenize
from deltasql.plan import METADATA
from deltasql.schema import quote_name as quote
from deltasql.sql import (
    AGGREGATES,
    FILE_FUNCTIONS,
    TableReference,
    calls_by_schema,
    misplaced,
    splice,
    table_references,
    unquote,
)

ROWS = "deltasql_new_rows"
STREAMED = "streamed"
"""The key, in the properties of a view, of a query with STREAM whose table is computed from all rows of its sources."""
_NEEDS_STATE = frozenset(
    {"GROUP", "DISTINCT", "OVER", "LIMIT", "ORDER", "UNION", "EXCEPT", "INTERSECT", "MINUS", "SETMINUS", "PIVOT"}
)
MATERIALIZED = "Write CREATE MATERIALIZED VIEW, which computes it again."


_MAY_READ_ALL = frozenset({"GROUP", "DISTINCT", "UNION"})


def text_of_all_rows(query: str) -> str | None:
    """The query without STREAM and watermarks, if it is to be computed from all rows of its sources; None if not.

    So are groups, distinct rows, and joins or unions of several streams. Offsets are those in `query`.
    """
    tokens = tokenize(query)
    streams = _streams(tokens)
    needed = _words_of_state(tokens)
    is_whole = needed <= _MAY_READ_ALL and (len(streams) > 1 or bool(needed) or calls(query, AGGREGATES))
    return _without_streams(query, tokens) if streams and is_whole else None


def _without_streams(query: str, tokens: Sequence[Token]) -> str:
    """The query with blanks in place of its words STREAM, of the options behind them, and of its watermarks."""
    spans = [*stream_words(query), *_watermarks(tokens)]
    return splice(query, [(start, end, " " * (end - start)) for start, end in sorted(spans)]).sql


def stream_words(query: str) -> list[tuple[int, int]]:
    """The places of the words STREAM in a query, and of the options behind their sources."""
    tokens = tokenize(query)
    words = [(tokens[index].start, tokens[index].end) for index in _streams(tokens)]
    return [*words, *((tokens[first].start, tokens[last].end) for first, last in _options(tokens))]


def _watermarks(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The places of WATERMARK expression DELAY OF INTERVAL number unit."""
    keys = [token.key for token in tokens]
    for start in (index for index, key in enumerate(keys) if key == "WATERMARK"):
        end = next((at for at in range(start, len(keys) - 4) if keys[at : at + 3] == ["DELAY", "OF", "INTERVAL"]), None)
        if end is not None:
            # A text has its unit inside: INTERVAL '1 hour'.
            has_unit = len(tokens[end + 3].text.strip("'").split()) == 1
            yield tokens[start].start, tokens[end + (4 if has_unit else 3)].end


def _options(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The indices of WITH and of its last bracket, for each STREAM source WITH (option = value, …).

    The options may be inside of the brackets as well: STREAM(source WITH (…)).
    """
    for index in _streams(tokens):
        at = TokenCursor(tokens, index + 1)
        inner = [TokenCursor(tokens, index + 2)] if at.key == "(" else []
        yield from (found for source in (*inner, at) if (found := _options_behind(source)) is not None)


def _options_behind(at: TokenCursor) -> tuple[int, int] | None:
    """The indices of WITH and of its last bracket behind a name, or behind a source in brackets."""
    if at.key == "(":
        at.group()
    elif at.is_name:
        at.dotted()
        if at.key == "(":
            at.group()
        elif at.take("AS"):
            at.next()
    first = at.at
    last = closing(at.tokens, first + 1) if at.key == "WITH" and at.peek(1) == "(" else len(at.tokens)
    return (first, last) if last < len(at.tokens) else None


def options_of_stream(query: str, table: str) -> dict[str, str]:
    """The options of the sources that a query reads by STREAM … WITH (…), by their names as they are written.

    An option without a value is `true`. Raises StreamingQueryError for what is no list of options, DuplicateKeyError.
    """
    tokens, found = tokenize(query), dict[str, str]()
    for first, last in _options(tokens):
        for item in comma_separated(tokens[first + 2 : last]):
            values = item[2:] if len(item) > 1 and item[1].key == "=" else item[1:]
            is_signed = len(values) == 2 and values[0].key == "-"
            if not item or not (item[0].is_name or item[0].kind == "string") or len(values) > 1 + is_signed:
                reason = f"its options {query[tokens[first].start : tokens[last].end]} are not understood"
                raise errors.StreamingQueryError(table, reason, "Write WITH (skipChangeCommits = true).")
            name = _text(item[0])
            if name.lower() in map(str.lower, found):
                raise errors.DuplicateKeyError(name)
            found[name] = "".join(map(_text, values)) or "true"
    return found


def _text(token: Token) -> str:
    if token.kind == "string":
        return unquote(token.text)
    return token.name if token.is_name else token.text


def stream_of(query: str, table: str) -> tuple[str, TableReference]:
    """The query without its word STREAM, and what that stood before. Raises StreamingQueryError."""
    tokens = tokenize(query)
    words = _streams(tokens)
    if not words:
        advice = "Write FROM STREAM(source), or FROM STREAM read_files('path')."
        raise errors.StreamingQueryError(table, "it reads no stream", advice)
    needed = _needed_state(query) or ("it reads several streams" if len(words) > 1 else None)
    if needed is not None:
        raise errors.StreamingQueryError(table, f"{needed}, which needs rows that were read before", MATERIALIZED)
    word = tokens[words[0]]
    text = _without_streams(query, tokens)
    reference = next((item for item in table_references(text) if item.start > word.start), None)
    if reference is None:
        source = next((token.text for token in tokens[words[0] + 1 :] if token.is_name), "no source")
        reason = f"it reads {source} by STREAM, which is no table and no files"
        advice = "Store what a broker sends as files, and write FROM STREAM read_files('path')."
        raise errors.StreamingQueryError(table, reason, advice)
    _require_continuable(text, reference, table, options_of_stream(query, table))
    return text, reference


def _require_continuable(text: str, reference: TableReference, table: str, options: Mapping[str, str]) -> None:
    """Raises StreamingQueryError for a source, or a place of it in the query, whose rows are not just added up."""
    if reference.temporal is not None:
        raise errors.StreamingQueryError(table, "it reads one version of a table", "Leave the version out.")
    if reference.arguments is not None and options:
        advice = "Options of files are arguments: read_files('path', format => 'csv')."
        raise errors.StreamingQueryError(table, "it reads files by STREAM … WITH (…)", advice)
    if reference.arguments is not None and reference.parts[-1].lower() not in FILE_FUNCTIONS:
        raise errors.StreamingQueryError(
            table, f"it reads {reference.parts[-1]} by STREAM", "Read the table itself by STREAM."
        )
    wrong = misplaced(over(text, reference), ROWS)
    if wrong is not None:
        raise errors.StreamingQueryError(table, f"{wrong}, which needs rows that were read before", MATERIALIZED)
    if reference.arguments is None:
        _require_columns(text, reference, table)


def _require_columns(query: str, reference: TableReference, table: str) -> None:
    """Raises StreamingQueryError for names of columns that the new rows of a table do not have."""
    if reads_metadata(query):
        raise errors.StreamingQueryError(
            table, "it reads _metadata, which new rows of a table lack", "Leave _metadata out."
        )
    if reference.alias is None and calls_by_schema(query, reference.parts[-1]):
        reason = "it calls columns by the schema of their table"
        raise errors.StreamingQueryError(
            table, reason, "Write the name of the table, or an alias, in front of the columns."
        )


def has_star(query: str) -> bool:
    """Whether a query may show all columns of its source, whatever these are. A product counts as well."""
    return any(token.key == "*" for token in tokenize(query))


def has_stream(query: str) -> bool:
    """Whether a query reads anything by STREAM."""
    return bool(_streams(tokenize(query)))


def _streams(tokens: Sequence[Token]) -> list[int]:
    """The indices of the words STREAM in front of sources."""
    return [index for index in range(len(tokens)) if _is_stream(TokenCursor(tokens, index))]


def _is_stream(at: TokenCursor) -> bool:
    """Whether the next token is the word STREAM in front of a source."""
    if at.key != "STREAM" or at.peek(-1) not in {"FROM", "JOIN", ",", "("}:
        return False
    return at.peek(1) == "(" or (at.is_name_at(1) and at.peek(1) not in {"AS", "WHERE", "JOIN", "ON"})


def _needed_state(query: str) -> str | None:
    """A part of a query that depends on rows which were read before; None where there is none."""
    words = _words_of_state(tokenize(query))
    used = sorted(words - _MAY_READ_ALL) or sorted(words)
    if used:
        return f"it has {used[0]}"
    return "it aggregates" if calls(query, AGGREGATES) else None


def _words_of_state(tokens: Sequence[Token]) -> set[str]:
    """The words of a query whose meaning depends on rows which were read before."""
    at = [TokenCursor(tokens, index) for index, token in enumerate(tokens) if token.key in _NEEDS_STATE]
    return {cursor.key for cursor in at if not _is_harmless(cursor)}


def _is_harmless(at: TokenCursor) -> bool:
    """Whether the next token belongs to IS [NOT] DISTINCT FROM, or to a star without some columns: * EXCEPT (a)."""
    if at.key == "DISTINCT":
        return at.peek(-1) in {"IS", "NOT"} and at.peek(1) == "FROM"
    return at.key == "EXCEPT" and at.peek(-1) == "*" and at.peek(1) == "("


def over(text: str, reference: TableReference) -> str:
    """The query `text` that reads ROWS in place of one of its tables."""
    # The query may qualify columns by the table's name, which must go on to work.
    alias = "" if reference.alias is not None else f" AS {quote(reference.parts[-1])}"
    return splice(text, [(reference.start, reference.end, f"{ROWS}{alias}")]).sql


def reads_metadata(query: str) -> bool:
    """Whether a query names the column `_metadata`."""
    return any(token.name.lower() == METADATA for token in tokenize(query) if token.is_name)
