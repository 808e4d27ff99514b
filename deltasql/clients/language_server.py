"""The language server: requests and positions of the protocol, and answers about one text.

Answers are computed in offsets of characters, without the protocol.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from deltasql.base import DeltaSqlError, Token, TokenCursor, __version__, tokenize
from deltasql.clients.checking import Checker, Finding, exists
from deltasql.clients.repl.completion import Suggestion, suggestions
from deltasql.schema import DataType, StructType, child, type_text
from deltasql.session import Description, Session, connect, described
from deltasql.sql import Statement, parse, split, table_references


@dataclass(frozen=True, slots=True)
class Hover:
    """A text in Markdown for the characters from `start` to `end`."""

    markdown: str
    start: int
    end: int


class TextAnalysis:
    """The findings in a text, and the names that its statements leave."""

    def __init__(self, text: str, warehouse: Session | None) -> None:
        self.text, self._warehouse = text, warehouse
        self._checker = Checker(warehouse, complete=warehouse is not None)
        self.findings: Sequence[Finding] = tuple(self._checker.check(text))

    def close(self) -> None:
        """Removes the scratch tables."""
        self._checker.close()

    def suggestions(self, text: str, offset: int) -> list[Suggestion]:
        """The words that may stand at `offset` of `text`, in which the user has typed since."""
        sessions = [self._checker.session, *([self._warehouse] if self._warehouse else [])]
        found: dict[str, Suggestion] = {}
        for session in sessions:
            for suggestion in suggestions(session, text, offset):
                found.setdefault(suggestion.text, suggestion)
        return list(found.values())

    def hover(self, offset: int) -> Hover | None:
        """The help on the error at `offset`; else what the table, column or statement there is."""
        for finding in self.findings:
            if finding.start <= offset < finding.end:
                return Hover(f"{finding.message}\n```text\n{finding.help}\n```", finding.start, finding.end)
        statement = statement_at(self.text, offset)
        return None if statement is None else self._described(statement, offset - statement.start)

    def _described(self, statement: Statement, at: int) -> Hover | None:
        tokens = statement.tokens
        if tokens and tokens[0].start <= at < tokens[0].end:
            syntax = syntax_of(statement.text)
            return Hover(syntax, statement.start, statement.start + tokens[0].end) if syntax else None
        for chain in _names(tokens):
            if chain[0].start <= at < chain[-1].end:
                # As far as the word under the cursor.
                named = [token for token in chain if token.start <= at]
                found = self._named(statement.text, tuple(token.name for token in named))
                start, end = statement.start + named[0].start, statement.start + named[-1].end
                return Hover(found, start, end) if found else None
        return None

    def _named(self, sql: str, parts: tuple[str, ...]) -> str | None:
        """The table that a name in a statement stands for, or the column of one that the statement names."""
        with suppress(DeltaSqlError):
            return _table_text(described(self._checker.session, parts))
        for alias, columns in self._tables(sql):
            path = parts[1:] if parts[0].lower() == alias and len(parts) > 1 else parts
            found = _field(columns, path)
            if found is not None:
                return f"```sql\n{'.'.join(path)} {type_text(found)}\n```\ncolumn of {alias}"
        return None

    def _tables(self, sql: str) -> Iterator[tuple[str, StructType]]:
        names = [(reference.parts, reference.alias) for reference in table_references(sql)]
        # The target of a write is no source of rows.
        names += [(tuple(token.name for token in chain), None) for chain in _names(tokenize(sql))]
        for parts, alias in names:
            with suppress(DeltaSqlError):
                yield (alias or parts[-1]).lower(), described(self._checker.session, parts).columns


def statement_at(text: str, offset: int) -> Statement | None:
    """The statement that spans an offset of the text."""
    return next((item for item in split(text) if item.start <= offset <= item.start + len(item.text)), None)


def syntax_of(sql: str) -> str | None:
    """The syntax of the kind of statement that `sql` is, in Markdown; None for one that cannot be parsed."""
    try:
        node = parse(sql)
    except DeltaSqlError:
        return None
    syntax = (inspect.getdoc(type(node)) or "").partition("\n\n")[0]
    return f"```text\n{syntax}\n```" if syntax else None


def _names(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    cursor = TokenCursor(tokens)
    while cursor.left:
        if cursor.is_name:
            yield list(cursor.dotted())
        else:
            cursor.at += 1


def _table_text(table: Description) -> str:
    kind = "view" if table.relation.is_view else "table"
    lines = [f"{field.name} {type_text(field.type)}{'' if field.nullable else ' NOT NULL'}" for field in table.columns]
    text = f"{kind} `{'.'.join(table.relation.parts)}`\n```sql\n" + "\n".join(lines) + "\n```"
    return f"{text}\n{table.comment}" if table.comment else text


def _field(columns: StructType, path: tuple[str, ...]) -> DataType | None:
    kind: DataType = columns
    for name in path:
        field = child(kind, name, case_sensitive=False)
        if field is None:
            return None
        kind = field.type
    return kind


EXPLAIN = "deltasql.explain"
_PAUSE = 0.2
"""Seconds without a key press after which a text is checked."""
_KINDS = {
    "keyword": types.CompletionItemKind.Keyword,
    "table": types.CompletionItemKind.Struct,
    "view": types.CompletionItemKind.Interface,
    "schema": types.CompletionItemKind.Module,
    "catalog": types.CompletionItemKind.Module,
    "function": types.CompletionItemKind.Function,
    "property": types.CompletionItemKind.Property,
    "setting": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.Value,
    "type": types.CompletionItemKind.TypeParameter,
}
"""Kinds of words that completion names; any other is the type of a column."""


class Documents:
    """The open documents with what is known of them. Without a warehouse, names of tables are not checked."""

    def __init__(self, server: LanguageServer, warehouse: str | None) -> None:
        self._server = server
        self._warehouse: Session | None = None if warehouse is None else connect(warehouse)
        self._analyses: dict[str, TextAnalysis] = {}

    def analysis(self, document: TextDocument) -> TextAnalysis:
        """The analysis of a document as it is now."""
        known = self._analyses.get(document.uri)
        if known is not None and known.text == document.source:
            return known
        self._close(document.uri)
        analysis = self._analyses[document.uri] = TextAnalysis(document.source, self._warehouse)
        return analysis

    def last_analysis(self, document: TextDocument) -> TextAnalysis:
        """The analysis of a document as it was when the user last paused."""
        return self._analyses.get(document.uri) or self.analysis(document)

    async def publish(self, uri: str, version: int | None) -> None:
        """Publishes the errors of a document, if it is still of this version after a pause."""
        await asyncio.sleep(_PAUSE)
        document = self._server.workspace.get_text_document(uri)
        if document.version != version:
            return
        found = [_diagnostic(document, finding) for finding in self.analysis(document).findings]
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def forget(self, uri: str) -> None:
        """Removes what is known of a document, and its errors from the client."""
        self._close(uri)
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def close(self) -> None:
        """Closes all documents, and the warehouse."""
        for uri in list(self._analyses):
            self._close(uri)
        if self._warehouse is not None:
            self._warehouse.close()

    def _close(self, uri: str) -> None:
        known = self._analyses.pop(uri, None)
        if known is not None:
            known.close()


def _diagnostic(document: TextDocument, finding: Finding) -> types.Diagnostic:
    return types.Diagnostic(
        _range(document, finding.start, finding.end),
        finding.message,
        severity=types.DiagnosticSeverity.Error,
        code=finding.condition,
        source="deltasql",
    )


def _range(document: TextDocument, start: int, end: int) -> types.Range:
    return types.Range(_position(document, start), _position(document, end))


def _position(document: TextDocument, offset: int) -> types.Position:
    """An offset as line and units of the client's encoding, also at the end of the text."""
    text = document.source
    begin = text.rfind("\n", 0, offset) + 1
    units = document.position_codec.client_num_units(text[begin:offset])
    return types.Position(text.count("\n", 0, offset), units)


def language_server(warehouse: str | None) -> tuple[LanguageServer, Documents]:
    """The server, and its documents."""
    server = LanguageServer("deltasql", f"v{__version__}")
    documents = Documents(server, warehouse)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(params: types.DidOpenTextDocumentParams) -> None:
        await documents.publish(params.text_document.uri, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: types.DidChangeTextDocumentParams) -> None:
        await documents.publish(params.text_document.uri, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        documents.forget(params.text_document.uri)

    _add_questions(server, documents)
    return server, documents


def _add_questions(server: LanguageServer, documents: Documents) -> None:
    """Completion, hover text, and the help on an error."""

    def document(uri: str) -> TextDocument:
        return server.workspace.get_text_document(uri)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "`"]))
    def completion(params: types.CompletionParams) -> types.CompletionList:
        text = document(params.text_document.uri)
        offset = text.offset_at_position(params.position)
        found = documents.last_analysis(text).suggestions(text.source, offset)
        items = [
            types.CompletionItem(
                item.text,
                kind=_KINDS.get(item.kind, types.CompletionItemKind.Field),
                detail=item.kind,
                sort_text=f"{number:05}",
                text_edit=types.TextEdit(_range(text, item.start, offset), item.text),
            )
            for number, item in enumerate(found)
        ]
        return types.CompletionList(is_incomplete=False, items=items)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        text = document(params.text_document.uri)
        found = documents.analysis(text).hover(text.offset_at_position(params.position))
        if found is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, found.markdown)
        return types.Hover(content, _range(text, found.start, found.end))

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def code_actions(params: types.CodeActionParams) -> list[types.Command | types.CodeAction]:
        ours = [item for item in params.context.diagnostics if item.source == "deltasql" and item.code]
        return [
            types.Command(f"Explain {item.code}", EXPLAIN, arguments=[params.text_document.uri, item.code])
            for item in ours
        ]

    @server.command(EXPLAIN)
    def explain(uri: str, condition: str) -> str:
        text = _explanation(documents.analysis(document(uri)), condition)
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
        return text


def _explanation(analysis: TextAnalysis, condition: str) -> str:
    return next((finding.help for finding in analysis.findings if finding.condition == condition), condition)


def serve(warehouse: str) -> None:
    """Answers on stdin and stdout until the client ends it. A warehouse that does not exist is as none."""
    server, documents = language_server(warehouse if exists(warehouse) else None)
    try:
        server.start_io()
    finally:
        with suppress(DeltaSqlError):
            documents.close()
