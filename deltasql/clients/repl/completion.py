"""Completion of input: keywords that the grammar expects, and existing names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from deltasql.base import QUOTED_NAME, WORD, session_settings, tokenize
from deltasql.clients.repl.commands import COMMANDS, Command, Names, Offered, Parts
from deltasql.clients.repl.commands import NAMES as PREFERENCES
from deltasql.files import error_classes
from deltasql.log import table_properties
from deltasql.session import Session
from deltasql.sql import Expected, expected_keywords, is_complete, is_script, split

_WORD = re.compile(r"[\w.`]*$")
_IN_TEXT = re.compile(r"['\"]?[\w.:-]*$")
_PART = rf"(?:{QUOTED_NAME}|{WORD})"
_NAME = re.compile(rf"{_PART}(?:\.{_PART}){{0,2}}")
_ALIAS = re.compile(r"\s+(?:as\s+)?(\w+)", re.IGNORECASE)
_BEFORE_TABLE = re.compile(
    r"\b(?:from|join|into|update|table|view|using|exists|describe|desc|detail|history|optimize|vacuum|overwrite"
    r"|tblproperties|in|formatted|extended|clone|like)\s+$",
    re.IGNORECASE,
)
_NO_TABLE_YET = re.compile(r"\bcreate\b(?:\s+\w+)*\s+$", re.IGNORECASE)
_PROPERTY_KEY = re.compile(r"\bTBLPROPERTIES\s*\((?:[^()]*,)?\s*$", re.IGNORECASE)
_PROPERTY_VALUE = re.compile(r"\bTBLPROPERTIES\s*\([^()]*?['\"]?([\w.]+)['\"]?\s*=\s*$", re.IGNORECASE)
_SETTING_KEY = re.compile(r"^\s*(?:SET|RESET)\s+$", re.IGNORECASE)
_SETTING_VALUE = re.compile(r"^\s*SET\s+([\w.]+)\s*=\s*$", re.IGNORECASE)
_VERSION = re.compile(
    rf"({_NAME.pattern})\s+(?:FOR\s+|TO\s+)?(VERSION|SYSTEM_VERSION|TIMESTAMP|SYSTEM_TIME)\s+AS\s+OF\s+$", re.IGNORECASE
)
_BY = re.compile(r"\b(?:ORDER|GROUP)\s+$", re.IGNORECASE)
_BEGIN = re.compile(r"\s*BEGIN\s+", re.IGNORECASE)
_NEW_NAME = re.compile(r"\bADD\s+COLUMNS?\s*\(?\s*$|\bTO\s+$", re.IGNORECASE)
_USE = re.compile(r"^\s*USE\s+(?:SCHEMA\s+|DATABASE\s+|NAMESPACE\s+)?$", re.IGNORECASE)
_COLUMN = re.compile(r"^\s*CREATE\b(?=[^(]*\bTABLE\b)[^(]*\((?:.*,)?\s*\S*\s+(\S.*)?$", re.IGNORECASE | re.DOTALL)
"""A column in CREATE TABLE, after its name, or after its type and rules."""
_LOOKED_AT = 2000
_COLUMN_RULES = ("NOT NULL", "COMMENT", "DEFAULT", "GENERATED ALWAYS AS", "PRIMARY KEY")
_CAST = re.compile(r"\bCAST\s*\((?:[^()]|\([^()]*\))*\bAS\s+$", re.IGNORECASE)
_TYPES = re.findall(
    r"\w+",
    """STRING INT BIGINT DOUBLE DECIMAL DATE TIMESTAMP BOOLEAN ARRAY MAP STRUCT SMALLINT TINYINT FLOAT BINARY
    TIMESTAMP_NTZ VARIANT VARCHAR CHAR INTERVAL""",
)
_NESTED_TYPES = {"ARRAY", "MAP", "STRUCT"}
# The grammar takes queries and expressions as they are, so it cannot tell which of Spark's own words may follow there.
_QUERY_WORDS = re.findall(
    r"\w+",
    """ALL AND AS ASC BETWEEN BY CASE CAST CROSS DESC DISTINCT ELSE END EXCEPT EXISTS FALSE FROM FULL GROUP HAVING ILIKE
    IN INNER INTERSECT IS JOIN LATERAL LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER OUTER OVER PARTITION QUALIFY RIGHT
    SELECT SEMI THEN TRUE UNION USING VALUES WHEN WHERE WINDOW WITH""",
)


class Suggestion(NamedTuple):
    """A word that may replace the text from the offset `start` to the cursor, and its kind."""

    text: str
    kind: str
    start: int


def suggestions(session: Session, text: str, offset: int) -> list[Suggestion]:
    """The words that may stand at `offset` of a text of statements, more likely ones first."""
    found = SqlCompleter(session).get_completions(Document(text, offset), CompleteEvent())
    return [Suggestion(item.text, item.display_meta_text, offset + item.start_position) for item in found]


class SqlCompleter(Completer):
    """Completion over a session."""

    def __init__(self, session: Session) -> None:
        self._names = Names(session)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        text = document.text_before_cursor
        if text.lstrip().startswith("\\"):
            yield from self._commands(text.lstrip())
            return
        start = _statement_start(text)
        statement, before = document.text[start:], text[start:]
        inside_text = _last(_IN_TEXT, before)
        values = self._values(before[: len(before) - len(inside_text)], inside_text)
        if values is not None:
            yield from _offer(values, inside_text)
            return
        word = _last(_WORD, before)
        qualifier, dot, last = word.rpartition(".")
        if dot:
            yield from _offer(self._qualified(qualifier, statement), last)
            return
        behind = text[: len(text) - len(word)]
        begins = _BEGIN.fullmatch(before[: len(before) - len(word)]) is not None
        script = script_words(behind) if begins or in_script(text) else None
        if script is not None:
            yield from _offer(_cased(script, word), word)
        if not script or begins:
            for names in self._plain(before[: len(before) - len(word)], statement, word):
                yield from _offer(names, word)

    def _values(self, before: str, word: str) -> Iterable[Offered] | None:
        """Keys and values of properties and settings, or versions; None where none of these fits."""
        near = _near(before)
        if _PROPERTY_KEY.search(near):
            return _quoted(table_properties.PROPERTIES, "property", word, always=False)
        if match := _PROPERTY_VALUE.search(near):
            entry = table_properties.PROPERTIES.get(match[1])
            return _quoted(_legal("" if entry is None else entry.legal), "value", word, always=True)
        if _SETTING_KEY.search(near):
            return [
                *((name, "setting") for name in session_settings.SETTINGS),
                *_cased(sorted(expected_keywords(before)), word),
            ]
        if match := _SETTING_VALUE.search(near):
            setting = session_settings.SETTINGS.get(match[1])
            return [(item, "value") for item in _legal("" if setting is None else setting.legal)]
        if match := _VERSION.search(near):
            return self._versions(_parts(match[1]), by_time=match[2].upper() in {"TIMESTAMP", "SYSTEM_TIME"})
        return None

    def _versions(self, parts: Parts, *, by_time: bool) -> list[Offered]:
        versions = self._names.versions(parts)
        if by_time:
            return [(f"'{at:%Y-%m-%d %H:%M:%S}'", f"version {number}, {name}") for number, at, name in versions]
        return [(str(number), f"{name}, {at:%Y-%m-%d %H:%M:%S}") for number, at, name in versions]

    def _plain(self, before: str, statement: str, word: str) -> Iterator[Iterable[Offered]]:
        """Names and keywords in groups, more likely ones first."""
        expected = expected_keywords(before)
        clause = _clause(before, expected)
        if clause is not None:
            words, kind = clause
            yield _cased(words, word, kind)
        elif _names_table(before, expected):
            yield self._names.relations()
            yield _cased(sorted(expected), word)
        else:
            yield from self._anywhere(before, statement, word, expected)

    def _anywhere(self, before: str, statement: str, word: str, expected: Expected) -> Iterator[Iterable[Offered]]:
        """Schemas and catalogs after USE, then columns, keywords, functions and tables."""
        if _USE.search(_near(before)):
            yield [item for item in self._names.relations() if item[1] in {"schema", "catalog"}]
        in_query = _in_query(before, expected)
        if (in_query or expected.name) and not _NEW_NAME.search(_near(before)):
            yield self._columns_in(statement)
        yield _cased(sorted({*expected, *(_QUERY_WORDS if in_query else ())}), word)
        if in_query:
            # All of Spark's functions are no help where nothing is typed yet.
            yield [item for item in self._names.functions() if word and item[0].upper() not in _QUERY_WORDS]
            yield self._names.relations()

    def _qualified(self, qualifier: str, statement: str) -> list[Offered]:
        """After `x.`: columns of the table or alias x, fields of a column x, else names in the schema or catalog x."""
        path = _parts(qualifier)
        mentioned = self._mentioned(statement)
        for alias, parts in mentioned:
            schema = self._names.schema(parts)
            for head in ((alias,), parts):
                if path[: len(head)] == head:
                    return self._names.fields(schema, path[len(head) :])
        for _, parts in mentioned:
            fields = self._names.fields(self._names.schema(parts), path)
            if fields:
                return fields
        return self._names.relations(path)

    def _columns_in(self, statement: str) -> list[Offered]:
        columns: dict[str, str] = {}
        for alias, parts in self._mentioned(statement):
            for name, kind in self._names.fields(self._names.schema(parts), ()):
                columns.setdefault(name, f"{kind} of {alias}")
        return list(columns.items())

    def _mentioned(self, statement: str) -> list[tuple[str, Parts]]:
        """Tables and views that the statement names anywhere, each with its alias (or its own name)."""
        tables: list[tuple[str, Parts]] = []
        position = 0
        while (match := _NAME.search(statement, position)) is not None:
            position = match.end()
            parts = _parts(match[0])
            if self._names.is_relation(parts):
                alias = _ALIAS.match(statement, position)
                tables.append((alias[1].lower() if alias else parts[-1], parts))
                # The alias may also be the name of a table.
                position = alias.end() if alias else position
        return tables

    def _commands(self, text: str) -> Iterator[Completion]:
        name, blank, argument = text.partition(" ")
        if not blank:
            yield from _offer([(command.typed, command.help) for command in _last_of_each()], text)
            return
        for command in COMMANDS:
            if command.typed == name and (command.values or command.takes):
                yield from _offer(self._arguments(command.values, command.takes, argument), argument.rpartition(" ")[2])
                return

    def _arguments(self, values: Iterable[str], takes: str, typed: str) -> Iterable[Offered]:
        if takes == "table":
            schema, dot, _ = typed.rpartition(".")
            path = _parts(schema) if schema else ()
            return [(f"{schema}{dot}{name}", kind) for name, kind in self._names.relations(path)]
        if takes == "condition":
            return [(name, "condition") for name in error_classes()]
        if takes == "file":
            return _paths(typed)
        if typed.rpartition(" ")[0] in PREFERENCES:
            return [("on", ""), ("off", "")]
        return [(value, "") for value in values]


def _statement_start(text: str) -> int:
    """The index after the last semicolon outside of literals and comments."""
    return max((token.end for token in tokenize(text) if token.text == ";"), default=0)


def _clause(before: str, expected: Expected) -> tuple[Iterable[str], str] | None:
    """The only possible words at the end of `before`, and their kind; None where others are possible."""
    before = _near(before)
    if expected >= _NESTED_TYPES or _CAST.search(before):
        return _TYPES, "type"
    if _BY.search(before):
        return ("BY",), "keyword"
    column = _COLUMN.search(before) if expected.expression and not expected else None
    if column is None or re.search(r"\bAS\b", column[1] or "", re.IGNORECASE):
        return None
    return (_COLUMN_RULES, "keyword") if column[1] else (_TYPES, "type")


def _names_table(before: str, expected: Expected) -> bool:
    """Whether the name of an existing table may follow."""
    fits, before = expected.name or not expected, _near(before)
    return fits and _BEFORE_TABLE.search(before) is not None and not _NO_TABLE_YET.search(before)


def _quoted(names: Iterable[str], kind: str, typed: str, *, always: bool) -> list[Offered]:
    """Literals in the quotes that are typed. A word begun without quotes stays so, unless they are needed `always`."""
    has_mark = typed[:1] in {"'", '"'}
    mark = typed[0] if has_mark else "'" if always or not typed else ""
    return [(f"{mark}{name}{mark}", kind) for name in names]


def _in_query(before: str, expected: Expected) -> bool:
    """Whether an expression or the rest of a query may follow, or text that the grammar does not parse."""
    return bool(before.strip()) and (expected.expression or not (expected or expected.name))


def _parts(name: str) -> Parts:
    return tuple(part.replace("`", "").lower() for part in name.split("."))


def _near(text: str) -> str:
    """The end of the input, in which patterns are searched: their time is quadratic in its length."""
    return text[-_LOOKED_AT:]


def _last(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(_near(text))
    return match[0] if match else ""


def _legal(legal: str) -> list[str]:
    """The legal words of a property or a setting; none if its legal values are no list of words."""
    words = re.split(r",\s*|\s+or\s+", legal) if legal else []
    return [item.strip("'") for item in words] if all(re.fullmatch(r"'?\w+'?", item) for item in words) else []


def _cased(words: Iterable[str], typed: str, kind: str = "keyword") -> list[Offered]:
    """Keywords in lower case if the typed word begins so, else unchanged."""
    return [(item.lower() if typed[:1].islower() else item, kind) for item in words]


def _offer(names: Iterable[Offered], word: str) -> Iterator[Completion]:
    typed = word.replace("`", "").lower()
    seen = set()
    for name, kind in names:
        if name.replace("`", "").lower().startswith(typed) and name not in seen:
            seen.add(name)
            yield Completion(name, start_position=-len(word), display_meta=kind)


def _last_of_each() -> Iterable[Command]:
    """The commands; of two with one name, the one that takes an argument."""
    return {command.name: command for command in COMMANDS}.values()


def _paths(typed: str) -> Iterator[Offered]:
    folder = Path(typed[: typed.rfind("/") + 1] or ".").expanduser()
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.is_dir() or entry.suffix == ".sql":
            yield f"{typed[: typed.rfind('/') + 1]}{entry.name}{'/' if entry.is_dir() else ''}", ""


_STATEMENTS = (
    *("BEGIN", "DECLARE", "IF", "CASE", "WHILE", "LOOP", "REPEAT", "FOR", "SET", "LEAVE", "ITERATE", "SIGNAL"),
    *("RESIGNAL", "GET DIAGNOSTICS", "OPEN", "FETCH", "CLOSE", "END", "SELECT", "INSERT INTO", "UPDATE", "DELETE FROM"),
    *("MERGE INTO", "CREATE TABLE", "EXECUTE IMMEDIATE", "VALUES"),
)
_AFTER: dict[str, tuple[str, ...]] = {
    "END": ("IF", "WHILE", "LOOP", "REPEAT", "FOR", "CASE"),
    "DECLARE": ("EXIT HANDLER FOR", "CONTINUE HANDLER FOR", "CONDITION", "CURSOR", "VARIABLE"),
    "EXIT": ("HANDLER FOR",),
    "CONTINUE": ("HANDLER FOR",),
    "HANDLER": ("FOR",),
    "SIGNAL": ("SQLSTATE",),
    "GET": ("DIAGNOSTICS CONDITION",),
    "FETCH": ("NEXT FROM", "FROM"),
}
_OPENS = {"BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", ";"}
_CONDITIONS = ("SQLEXCEPTION", "NOT FOUND", "SQLSTATE", "DIVIDE_BY_ZERO")


def in_script(text: str) -> bool:
    """Whether the text ends within BEGIN … END."""
    statements = list(split(text))
    return bool(statements) and not is_complete(text) and is_script(statements[-1].text)


def script_words(before: str) -> list[str]:
    """The script keywords that may follow; none within a statement of the script."""
    words = [token.text.upper() for token in tokenize(before) if token.text.strip()]
    last = words[-1] if words else ""
    if last in _OPENS:
        return list(_STATEMENTS)
    if last == "FOR" and "HANDLER" in words[-3:]:
        return list(_CONDITIONS)
    return list(_AFTER.get(last, ()))
