"""COPY INTO: the source of its rows, and clauses that come in any order."""

from __future__ import annotations

from typing import Any

from deltasql.base.errors.base import Caret
from deltasql.base.errors.statements.copy_into import CopyEncryptionError, NamedCredentialError
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.plan.base import SqlText
from deltasql.sql.constants import unquote
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds, caret
from deltasql.sql.parser.rules.names import Clause, collect
from deltasql.sql.tokens import Token, TokenCursor, closing, tokenize
from deltasql.statements.nodes.copy_into import CopyInto, CopySource, FilePattern, Sample

Pairs = tuple[tuple[str, str], ...]


@builds("copy_into")
def _copy_into(children: list[Any], tree: Tree, text: str) -> CopyInto:
    table, columns, by_position, source, file_format, *clauses = children
    nodes = tree.children[5:]
    chosen = [node for node in nodes if node is not None and node.name in {"files_clause", "pattern_clause"}]
    if len({node.name for node in chosen}) > 1:
        reason = "FILES and PATTERN both say which files are meant. Leave out one of them."
        raise ParseSyntaxError(reason, "FILES").at(caret(chosen[1], text))
    values = collect(clauses, nodes, text)
    return CopyInto(table, columns, by_position, source, file_format, **values)


@builds("not_by_order")
def _not_by_order(children: list[Any], tree: Tree, text: str) -> bool:
    return False


@builds("file_format")
def _file_format(children: list[Any], tree: Tree, text: str) -> SqlText:
    return SqlText(children[0].lower(), tree.start)


@builds("validate_all")
def _validate_all(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("validate", Sample(None))


@builds("validate_rows")
def _validate_rows(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("validate", Sample(children[0]))


@builds("files_clause")
def _files(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("chosen", FilePattern(None, tuple(children), tree.start, tree.end))


@builds("pattern_clause")
def _pattern(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("chosen", FilePattern(children[0], (), tree.start, tree.end))


@builds("format_options_clause")
def _format_options(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("options", children[0])


@builds("copy_options_clause")
def _copy_options(children: list[Any], tree: Tree, text: str) -> Clause:
    return Clause("copy_options", children[0])


@builds("copy_files")
def _source(children: list[Any], tree: Tree, text: str) -> CopySource:
    location, *access = children
    node = tree.children[0]
    assert node is not None
    credential = _credential(tokenize(access[0].text), access[0].start, text) if access else ()
    return CopySource(location, node.start, node.end, credential=credential)


@builds("copy_query")
def _query_source(children: list[Any], tree: Tree, text: str) -> CopySource:
    """(SELECT … FROM 'location' [WITH (…)] …): the first string behind a FROM outside of other brackets."""
    query: SqlText = children[0]
    tokens = tokenize(query.text)
    source = _source_token(tokens)
    if source is None:
        reason = "COPY INTO reads files: write FROM (SELECT … FROM '/path'), the location in quotes."
        raise ParseSyntaxError(reason, query.text[:20]).at(caret(tree, text))
    token = tokens[source]
    start, end = query.start + token.start, query.start + token.end
    credential: Pairs = ()
    last = token.end
    if [item.key for item in tokens[source + 1 : source + 3]] == ["WITH", "("]:
        close = closing(tokens, source + 2)
        credential = _credential(tokens[source + 2 : close + 1], query.start, text)
        last = tokens[close].end
    before = SqlText(query.text[1 : token.start], query.start + 1)
    after = SqlText(query.text[last:-1], query.start + last)
    return CopySource(unquote(token.text), start, end, before, after, credential)


def _source_token(tokens: list[Token]) -> int | None:
    depth = 0
    for index, token in enumerate(tokens[:-1]):
        depth += (token.key in {"(", "["}) - (token.key in {")", "]"})
        if depth == 1 and token.key == "FROM" and tokens[index + 1].kind == "string":
            return index + 1
    return None


def _credential(tokens: list[Token], offset: int, text: str) -> Pairs:
    """The pairs of WITH (CREDENTIAL (key = 'value', …)), whose `tokens` stand at `offset` of the statement.

    Raises NamedCredentialError, CopyEncryptionError, and ParseSyntaxError for anything else.
    """
    at = TokenCursor(tokens[1:-1])
    pairs: Pairs = ()
    while at.left:
        token = at.next()
        caret = Caret(text, offset + token.start, offset + token.end)
        if token.key == "CREDENTIAL" and at.key == "(":
            pairs = _pairs(list(at.group())[1:-1], caret)
        elif token.key == "CREDENTIAL" and at.is_name:
            raise NamedCredentialError(at.name()).at(caret)
        elif token.key == "ENCRYPTION" and at.key == "(":
            raise CopyEncryptionError().at(caret)
        else:
            raise ParseSyntaxError(_CREDENTIAL, token.text).at(caret)
    return pairs


_CREDENTIAL = "Write WITH (CREDENTIAL (key = 'value', …)) behind the location, with the keys of its storage."


def _pairs(tokens: list[Token], caret: Caret) -> Pairs:
    pairs = []
    at = TokenCursor(tokens)
    while at.left:
        name = at.next()
        if not (at.take("=") and at.kind == "string"):
            raise ParseSyntaxError(_CREDENTIAL, name.text).at(caret)
        key = unquote(name.text) if name.kind == "string" else name.name
        pairs.append((key, unquote(at.next().text)))
        at.take(",")
    return tuple(pairs)
