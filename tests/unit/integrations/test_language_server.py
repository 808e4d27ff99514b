"""The language server as an editor meets it: a client starts `deltasql lsp`, opens a text and asks."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

import deltasql
from deltasql.clients import cli

URI = "file:///script.sql"
_Answer = TypeVar("_Answer")


class Editor(LanguageClient):
    """A client that keeps the errors and messages of the server."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.found: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.messages: list[str] = []

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.found.put_nowait(params)

        @self.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

    async def errors(self) -> list[types.Diagnostic]:
        """The errors that the server publishes next."""
        published = await asyncio.wait_for(self.found.get(), 300)
        return list(published.diagnostics)

    def open(self, text: str) -> None:
        self.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(URI, types.LanguageKind.Sql, 1, text))
        )

    def type(self, version: int, *changes: types.TextDocumentContentChangeEvent) -> None:
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version, URI), list(changes))
        )

    async def hover(self, line: int, character: int) -> str | None:
        found = await self.text_document_hover_async(types.HoverParams(*at(line, character)))
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def words(self, line: int, character: int) -> list[types.CompletionItem]:
        found = await self.text_document_completion_async(types.CompletionParams(*at(line, character)))
        assert isinstance(found, types.CompletionList)
        return list(found.items)


def at(line: int, character: int) -> tuple[types.TextDocumentIdentifier, types.Position]:
    return types.TextDocumentIdentifier(URI), types.Position(line, character)


def edited(warehouse: Path, work: Callable[[Editor], Awaitable[_Answer]]) -> _Answer:
    """The answer of `work` with an editor whose server runs in a process of its own."""

    async def session() -> _Answer:
        editor = Editor()
        await editor.start_io(sys.executable, "-m", "deltasql", "lsp", "--warehouse", str(warehouse))
        try:
            await editor.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
            editor.initialized(types.InitializedParams())
            return await work(editor)
        finally:
            await editor.shutdown_async(None)
            editor.exit(None)
            await editor.stop()  # type: ignore[no-untyped-call]

    return asyncio.run(asyncio.wait_for(session(), 600))


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    place = tmp_path / "warehouse"
    with deltasql.connect(str(place)) as session:
        session.sql("CREATE TABLE orders (id INT, place STRUCT<city: STRING>) COMMENT 'All orders'")
    return place


def test_errors_come_and_go_as_the_user_types(warehouse: Path) -> None:
    async def work(editor: Editor) -> None:
        # The emoji is two units of UTF-16, in which editors count.
        editor.open("SELECT '😀', nope FROM orders;\nSELEC 1")
        column, word = await editor.errors()
        assert (column.code, column.source) == ("UNRESOLVED_COLUMN.WITH_SUGGESTION", "deltasql")
        assert column.range == types.Range(types.Position(0, 13), types.Position(0, 17))
        assert word.range == types.Range(types.Position(1, 0), types.Position(1, 5))
        assert word.message == "No statement starts with 'SELEC'. Did you mean SELECT?"
        whole = types.TextDocumentContentChangeWholeDocument
        editor.type(2, whole("SELEC"))
        editor.type(3, whole("CREATE TABLE mine (x INT);\nSELECT x FROM mine"))
        # The text of version 2 was there too short a time.
        assert await editor.errors() == []
        editor.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(URI)))
        assert await editor.errors() == []

    edited(warehouse, work)


def test_help_on_an_error(warehouse: Path) -> None:
    async def work(editor: Editor) -> None:
        editor.open("DROP TABLE gone")
        errors = await editor.errors()
        hover = await editor.hover(0, 12)
        assert hover is not None
        assert "There is no table gone." in hover
        assert "What to do: Check the spelling" in hover
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(URI), errors[0].range, types.CodeActionContext(errors)
        )
        actions = await editor.text_document_code_action_async(params)
        assert actions is not None
        (action,) = actions
        assert isinstance(action, types.Command)
        assert action.title == "Explain TABLE_OR_VIEW_NOT_FOUND"
        call = types.ExecuteCommandParams(action.command, action.arguments)
        text = await editor.workspace_execute_command_async(call)
        assert str(text).startswith("TABLE_OR_VIEW_NOT_FOUND (SQLSTATE 42P01)\nCause: ")
        assert editor.messages == [text]

    edited(warehouse, work)


def test_hover_text(warehouse: Path) -> None:
    async def work(editor: Editor) -> None:
        query = "SELECT o.place.city, other FROM orders o, mine"
        editor.open(f"-- a note\nOPTIMIZE orders;\n{query};\nCREATE TABLE mine (other DATE)")
        await editor.errors()
        syntax = await editor.hover(1, 3)
        assert syntax is not None
        assert "OPTIMIZE {t" in syntax
        table = await editor.hover(1, 10)
        assert table is not None
        assert "table `spark_catalog.default.orders`" in table
        assert "place struct<city:string>" in table
        assert table.endswith("All orders")
        field = await editor.hover(2, 16)
        assert field is not None
        assert "place.city string" in field
        assert "other date" in str(await editor.hover(2, 23))
        assert await editor.hover(0, 3) is None

    edited(warehouse, work)


def test_completion_knows_the_tables_of_the_warehouse_and_of_the_text(warehouse: Path) -> None:
    async def work(editor: Editor) -> None:
        editor.open("CREATE TABLE ours (x INT);\nSELECT o. FROM orders o;\nSELECT * FROM o")
        await editor.errors()
        columns = await editor.words(1, 9)
        assert [(item.label, item.detail) for item in columns] == [("id", "int"), ("place", "struct")]
        tables = [item for item in await editor.words(2, 15) if item.detail == "table"]
        assert sorted(item.label for item in tables) == ["orders", "ours"]
        assert tables[0].kind == types.CompletionItemKind.Struct
        edit = tables[0].text_edit
        assert isinstance(edit, types.TextEdit)
        assert edit.range == types.Range(types.Position(2, 14), types.Position(2, 15))

    edited(warehouse, work)


def test_without_its_packages(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in [name for name in sys.modules if name.startswith("deltasql.clients.language_server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    assert cli.main(["lsp"]) == cli.USAGE
    assert "pip install 'deltasql[lsp]'" in capsys.readouterr().err
