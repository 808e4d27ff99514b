"""The clauses of CREATE and ALTER of connections, credentials, external locations, shares, recipients and groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from deltasql.base.errors.base import Caret, LeftToEngineError
from deltasql.base.errors.secrets import shown_value
from deltasql.base.errors.statements.governance import SecurableClauseError
from deltasql.plan.base import SqlText, TableName
from deltasql.sql.constants import unquote
from deltasql.sql.tokens import Token, TokenCursor, comma_separated, tokenize
from deltasql.statements.nodes.governance import SecurableName

OPTION, PROPERTY = "option.", "property."
"""Prefixes of the facts that are options of a connection, or properties of a recipient."""

_SHARED = ("TABLE", "SCHEMA", "VIEW", "FUNCTION", "MODEL", "VOLUME")
_CLAUSES = {
    "CONNECTION": ("TYPE", "OPTIONS", "PROPERTIES"),
    "EXTERNAL LOCATION": ("URL", "WITH"),
    "RECIPIENT": ("USING", "PROPERTIES"),
    "GROUP": ("WITH", "USER", "GROUP"),
}
_ALTERATIONS = {
    "CONNECTION": ("OPTIONS",),
    "EXTERNAL LOCATION": ("URL", "CREDENTIAL"),
    "RECIPIENT": ("PROPERTIES",),
}


def read_clauses(
    kind: str, rest: SqlText | None, text: str
) -> tuple[str | None, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Comment, facts and members that the clauses of CREATE give. Raises SecurableClauseError."""
    if rest is None:
        return None, (), ()
    reader = _ClauseReader(kind, rest, text)
    while reader.left:
        reader.explained(reader.clause)
    return reader.comment, tuple(reader.facts.items()), tuple(reader.members)


def read_alteration(kind: str, rest: SqlText, text: str) -> dict[str, Any]:
    """The fields of AlterSecurable that the text behind ALTER kind name gives. Raises SecurableClauseError."""
    reader = _AlterationReader(kind, rest, text)
    reader.explained(reader.alteration)
    if reader.left:
        reader.refuse()
    return reader.fields


class _Reader(TokenCursor):
    """Reads the clauses of one kind of securable."""

    def __init__(self, kind: str, written: SqlText, text: str) -> None:
        super().__init__([token for token in tokenize(written.text) if token.key != ";"])
        self.subject, self.written, self.text = kind, written, text

    def explained(self, read: Callable[[], None]) -> None:
        """Calls `read`. Raises SecurableClauseError where it finds the unexpected."""
        try:
            read()
        except LeftToEngineError:
            self.at = min(self.at, max(len(self.tokens) - 1, 0))
            self.refuse()

    def refuse(self) -> NoReturn:
        token = self.tokens[self.at]
        start = self.written.start + token.start
        reason = f"{token.text} cannot stand at this place of a statement on {self.subject}."
        raise SecurableClauseError(reason).at(Caret(self.text, start, start + len(token.text)))

    def string(self) -> str:
        token = self.next()
        if token.kind != "string":
            self.at -= 1
            raise LeftToEngineError
        return unquote(token.text)

    def principal(self) -> str:
        return self.string() if self.kind_is_string else self.name()

    @property
    def kind_is_string(self) -> bool:
        return self.left and self.tokens[self.at].kind == "string"

    def words(self, *keys: str) -> None:
        for key in keys:
            self.need(key)

    def pairs(self, prefix: str) -> dict[str, str]:
        """( key [=] value, … ), secrets redacted; a value may be secret('scope', 'key')."""
        self.need("(")
        self.at -= 1
        group = self.group()
        return dict(_pair(prefix, item) for item in comma_separated(group[1:-1]))


class _ClauseReader(_Reader):
    """Reads the clauses of CREATE."""

    def __init__(self, kind: str, written: SqlText, text: str) -> None:
        super().__init__(kind, written, text)
        self.comment: str | None = None
        self.facts: dict[str, str] = {}
        self.members: list[str] = []

    def clause(self) -> None:
        if self.take("COMMENT"):
            self.comment = self.string()
            return
        key = self.take(*_CLAUSES.get(self.subject, ()))
        if key in {"USER", "GROUP"}:
            self.members += [f"{key} {name}" for name in self.listed(self.principal)]
        elif key == "WITH" and self.subject == "GROUP":
            if self.key not in {"USER", "GROUP"}:
                raise LeftToEngineError
        else:
            self.facts |= self.fact(key)

    def fact(self, key: str) -> dict[str, str]:
        """The facts about the object in a clause that begins with this word."""
        match key:
            case "TYPE":
                return {"Connection Type": self.name().upper()}
            case "OPTIONS":
                return self.pairs(OPTION)
            case "PROPERTIES":
                return self.pairs(PROPERTY)
            case "URL":
                return {"URL": shown_value("url", self.string())}
            case "USING":
                self.need("ID")
                return {"Global Metastore Id": self.string()}
            case "WITH":
                return {"Credential Name": self.credential()}
            case _:
                raise LeftToEngineError

    def credential(self) -> str:
        """( [STORAGE] CREDENTIAL name )"""
        self.need("(")
        self.take("STORAGE")
        self.need("CREDENTIAL")
        name = self.name()
        self.need(")")
        return name.lower()


class _AlterationReader(_Reader):
    """Reads what stands behind ALTER kind name: one change."""

    def __init__(self, kind: str, written: SqlText, text: str) -> None:
        super().__init__(kind, written, text)
        self.fields: dict[str, Any] = {}

    def alteration(self) -> None:
        verb = {"SHARE": "REMOVE", "GROUP": "DROP"}.get(self.subject, "")
        key = self.take("RENAME", "OWNER", "COMMENT", "OPTIONS", "SET", "UNSET", *(("ADD", verb) if verb else ()))
        if key in {"ADD", verb} and key:
            self.fields["added" if key == "ADD" else "removed"] = tuple(self.members())
            return
        if key == "UNSET" and self.subject == "RECIPIENT":
            self.need("PROPERTIES")
            self.fields["facts"] = tuple((f"{PROPERTY}{name}", None) for name in self.keys())
            return
        self.change(key)

    def change(self, key: str) -> None:
        """Reads a change that begins with this word, which has been read."""
        match key:
            case "RENAME":
                self.need("TO")
                self.fields["new_name"] = self.name()
            case "OWNER":
                self.owner()
            case "COMMENT":
                self.fields["comment"] = self.string()
            case "OPTIONS" if self.subject == "CONNECTION":
                self.fields["facts"] = tuple(self.pairs(OPTION).items())
            case "SET":
                self.setting()
            case _:
                self.at -= bool(key)
                raise LeftToEngineError

    def owner(self) -> None:
        self.need("TO")
        self.fields["owner"] = self.principal()

    def setting(self) -> None:
        if self.take("OWNER"):
            return self.owner()
        if self.take("COMMENT"):
            self.fields["comment"] = self.string()
            return None
        if self.key == "STORAGE" and self.subject == "EXTERNAL LOCATION":
            self.at += 1
        match self.take(*_ALTERATIONS.get(self.subject, ())):
            case "URL":
                facts: dict[str, str] = {"URL": shown_value("url", self.string())}
            case "CREDENTIAL":
                facts = {"Credential Name": self.name().lower()}
            case "OPTIONS":
                facts = self.pairs(OPTION)
            case "PROPERTIES":
                facts = self.pairs(PROPERTY)
            case _:
                raise LeftToEngineError
        self.take("FORCE")
        self.fields["facts"] = tuple(facts.items())
        return None

    def keys(self) -> list[str]:
        self.need("(")
        found = self.listed(lambda: self.string() if self.kind_is_string else self.name())
        self.need(")")
        return found

    def members(self) -> list[SecurableName]:
        if self.subject == "GROUP":
            member = self.take("USER", "GROUP")
            if not member:
                raise LeftToEngineError
            return self.listed(lambda: self.member(member))
        self.take("MATERIALIZED")
        member = self.take(*_SHARED) or "TABLE"
        start = self.at
        found = self.table(member)
        if self.at == start:
            raise LeftToEngineError
        self.skip_clauses_of_shared()
        return [found]

    def member(self, kind: str) -> SecurableName:
        at = self.tokens[self.at] if self.left else None
        name = self.principal()
        assert at is not None
        start = self.written.start + at.start
        end = start + len(at.text)
        return SecurableName(kind, TableName((name,), start, end), start, end)

    def table(self, kind: str) -> SecurableName:
        if not self.is_name:
            raise LeftToEngineError
        chain = self.dotted()
        start, end = self.written.start + chain[0].start, self.written.start + chain[-1].end
        return SecurableName(kind, TableName(tuple(token.name for token in chain), start, end), start, end)

    def skip_clauses_of_shared(self) -> None:
        """[COMMENT 'text'] [PARTITION (…), …] [AS name] [{WITH | WITHOUT} HISTORY]: read, and not recorded."""
        while self.left:
            match self.take("COMMENT", "PARTITION", "AS", "WITH", "WITHOUT"):
                case "COMMENT":
                    self.string()
                case "PARTITION":
                    self.listed(self.group)
                case "AS":
                    if not self.is_name:
                        raise LeftToEngineError
                    self.dotted()
                case "WITH" | "WITHOUT":
                    self.need("HISTORY")
                case _:
                    raise LeftToEngineError


def _pair(prefix: str, tokens: list[Token]) -> tuple[str, str]:
    """A key, possibly with dots, and its value."""
    at = TokenCursor(tokens)
    is_text = at.kind == "string"
    key = unquote(at.next().text) if is_text else ".".join(token.name for token in at.dotted())
    at.take("=")
    value = at.next()
    if value.key == "SECRET" and at.key == "(":
        at.group()
        return f"{prefix}{key}", "secret(…)"
    at.end()
    return f"{prefix}{key}", shown_value(key, unquote(value.text) if value.kind == "string" else value.text)
