"""The protocol's side of the server: requests in, positions of the client, answers out."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.version import __version__
from deltasql.clients.checking import Finding
from deltasql.clients.checking.command import exists
from deltasql.clients.language_server.analysis import TextAnalysis
from deltasql.session.opening import connect
from deltasql.session.session import Session

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
