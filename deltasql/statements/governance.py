"""Nodes and clauses of statements about privileges, owners, row filters, column masks, and securables without data.

Securables without data are connections, credentials, external locations, shares, recipients, providers and groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from deltasql.base import (
    OPEN_SET,
    Caret,
    LeftToEngineError,
    Token,
    TokenCursor,
    comma_separated,
    errors,
    meant,
    shown_value,
    similar_names,
)
from deltasql.plan import ColumnPath, LogicalPlan, SqlText, TableName
from deltasql.sql import Clause, GrammarToken, Tree, builds, sql_text, unquote


@dataclass(frozen=True, slots=True)
class Privilege:
    """A privilege by its words, in capitals, and its span in the statement."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SecurableName:
    """[kind] name: the kind in capitals, "" for a table or a view. The name is None for the current catalog, and for
    the metastore. `is_other`: the kind is none of the catalog, but of a service, as MODEL or CLEAN ROOM."""

    kind: str
    name: TableName | None
    start: int
    end: int
    is_other: bool = False


@dataclass(frozen=True, slots=True)
class PolicyArgument:
    """A column, or a constant, among the arguments of a row filter or of a mask; with its span in the statement."""

    text: str
    is_column: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RowFilterClause:
    """ROW FILTER f ON (column | constant, …)"""

    function: TableName
    arguments: tuple[PolicyArgument, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ColumnMask:
    """MASK f [USING COLUMNS (column | constant, …)]"""

    function: TableName
    arguments: tuple[PolicyArgument, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ChangeGrants(LogicalPlan):
    """{GRANT | DENY} privileges ON securable TO principals, and REVOKE privileges ON securable FROM principals"""

    verb: str
    privileges: tuple[Privilege, ...]
    securable: SecurableName
    principals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShowGrants(LogicalPlan):
    """SHOW GRANTS [principal] [ON securable], and SHOW GRANTS TO RECIPIENT r"""

    reads_only: ClassVar[bool] = True

    principal: str | None
    securable: SecurableName | None
    recipient: TableName | None = None


@dataclass(frozen=True, slots=True)
class SetOwner(LogicalPlan):
    """ALTER {TABLE | VIEW | SCHEMA | CATALOG | FUNCTION | VOLUME | other kind} name [SET] OWNER TO principal"""

    securable: SecurableName
    principal: str


@dataclass(frozen=True, slots=True)
class SetRowFilter(LogicalPlan):
    """ALTER TABLE t {SET ROW FILTER f ON (…) | DROP ROW FILTER}"""

    table: TableName
    row_filter: RowFilterClause | None


@dataclass(frozen=True, slots=True)
class SetMask(LogicalPlan):
    """ALTER TABLE t ALTER COLUMN c {SET MASK f [USING COLUMNS (…)] | DROP MASK}"""

    table: TableName
    column: ColumnPath
    mask: ColumnMask | None


@dataclass(frozen=True, slots=True)
class CreateSecurable(LogicalPlan):
    """CREATE {CONNECTION | CREDENTIAL | EXTERNAL LOCATION | SHARE | RECIPIENT | PROVIDER | GROUP} [IF NOT EXISTS] name
    {clauses}"""

    kind: str
    if_not_exists: bool
    name: TableName
    comment: str | None
    facts: tuple[tuple[str, str], ...]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlterSecurable(LogicalPlan):
    """ALTER {CONNECTION | …} name {[SET] OWNER TO p | RENAME TO name | SET facts | ADD members | REMOVE members}

    A fact of None is removed.
    """

    kind: str
    name: TableName
    owner: str | None = None
    new_name: str | None = None
    comment: str | None = None
    facts: tuple[tuple[str, str | None], ...] = ()
    added: tuple[SecurableName, ...] = ()
    removed: tuple[SecurableName, ...] = ()


@dataclass(frozen=True, slots=True)
class CommentOnSecurable(LogicalPlan):
    """COMMENT ON {CONNECTION | …} name IS {text | NULL}"""

    kind: str
    name: TableName
    comment: str | None


@dataclass(frozen=True, slots=True)
class DropSecurable(LogicalPlan):
    """DROP {CONNECTION | …} [IF EXISTS] name [FORCE]"""

    kind: str
    if_exists: bool
    name: TableName


@dataclass(frozen=True, slots=True)
class DescribeSecurable(LogicalPlan):
    """DESCRIBE {CONNECTION | …} name"""

    reads_only: ClassVar[bool] = True

    kind: str
    name: TableName


@dataclass(frozen=True, slots=True)
class ShowSecurables(LogicalPlan):
    """SHOW {CONNECTIONS | … | USERS} [LIKE 'pattern'], and SHOW GROUPS [WITH {USER | GROUP} member]

    `member` is the kind and the name, as in `USER ann`.
    """

    reads_only: ClassVar[bool] = True

    kind: str
    member: str | None
    pattern: str | None


@dataclass(frozen=True, slots=True)
class ShowShare(LogicalPlan):
    """SHOW ALL IN SHARE s, and SHOW SHARES IN PROVIDER p"""

    reads_only: ClassVar[bool] = True

    kind: str
    name: TableName


OPTION, PROPERTY = "option.", "property."
"""Prefixes of the facts that are options of a connection, or properties of a recipient."""

_SHARED = ("TABLE", "SCHEMA", "VIEW", "FUNCTION", "MODEL", "VOLUME")
_CLAUSES = {
    "CONNECTION": ("TYPE", "OPTIONS", "PROPERTIES"),
    "EXTERNAL LOCATION": ("URL", "WITH", "STORAGE", "CREDENTIAL"),
    "RECIPIENT": ("USING", "PROPERTIES", "WITH"),
    "CREDENTIAL": ("WITH",),
    "STORAGE CREDENTIAL": ("WITH",),
    "SERVICE CREDENTIAL": ("WITH",),
    "GROUP": ("WITH", "USER", "GROUP"),
}
_ALTERATIONS = {
    "CONNECTION": ("OPTIONS",),
    "EXTERNAL LOCATION": ("URL", "CREDENTIAL"),
    "RECIPIENT": ("PROPERTIES",),
}


_NAMED_FREELY = frozenset({"CREDENTIAL", "STORAGE CREDENTIAL", "SERVICE CREDENTIAL", "RECIPIENT"})
"""Kinds whose clauses an account of a cloud defines."""


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


class SecurableReader(TokenCursor):
    """Reads the clauses of one kind of securable."""

    def __init__(self, kind: str, written: SqlText, text: str) -> None:
        super().__init__([token for token in written.tokens if token.key != ";"])
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
        raise errors.SecurableClauseError(reason).at(Caret(self.text, start, start + len(token.text)))

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

    def table(self, kind: str) -> SecurableName:
        if not self.is_name:
            raise LeftToEngineError
        chain = self.dotted()
        start, end = self.written.start + chain[0].start, self.written.start + chain[-1].end
        return SecurableName(kind, TableName(tuple(token.name for token in chain), start, end), start, end)

    def words(self, *keys: str) -> None:
        for key in keys:
            self.need(key)

    def pairs(self, prefix: str) -> dict[str, str]:
        """( key [=] value, … ), secrets redacted; a value may be secret('scope', 'key')."""
        self.need("(")
        self.at -= 1
        group = self.group()
        return dict(_pair(prefix, item) for item in comma_separated(group[1:-1]))


class _ClauseReader(SecurableReader):
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
            case "WITH" if self.key == "(":
                self.need("(")
                found = self.listed(self.setting)
                self.need(")")
                return dict(found)
            case "STORAGE" | "CREDENTIAL":
                self.at -= 1
                return dict([self.setting()])
            case _ if key == "WITH" or self.subject in _NAMED_FREELY:
                return dict([self.setting()])
            case _:
                raise LeftToEngineError

    def setting(self) -> tuple[str, str]:
        """A setting of the object that an account of a cloud has: [STORAGE] CREDENTIAL name, URL 'text', READ ONLY,
        words [=] 'text', or words [=] ( key = value, … ). What only a cloud knows is recorded under its words."""
        words = [self.name().upper()]
        while self.is_name and words[-1] not in {"CREDENTIAL", "STORAGE_CREDENTIAL"}:
            words.append(self.name().upper())
        self.take("=")
        key = "_".join(words)
        if key in {"CREDENTIAL", "STORAGE_CREDENTIAL"}:
            return "Credential Name", self.principal().lower()
        if self.key == "(":
            return f"{OPTION}{key.lower()}", self.settings()
        if key == "READ_ONLY":
            return f"{OPTION}read_only", "true"
        value = self.string()
        return ("URL" if key == "URL" else f"{OPTION}{key.lower()}"), shown_value(key, value)

    def settings(self) -> str:
        """( key [=] value, … ) or ( 'text', … ), as text without secrets."""
        self.at += 1
        if self.kind_is_string:
            found = self.listed(self.string)
            self.need(")")
            return ", ".join(found)
        self.at -= 1
        return ", ".join(f"{key}={value}" for key, value in self.pairs("").items())


class _AlterationReader(SecurableReader):
    """Reads what stands behind ALTER kind name: one change."""

    def __init__(self, kind: str, written: SqlText, text: str) -> None:
        super().__init__(kind, written, text)
        self.fields: dict[str, Any] = {}

    def alteration(self) -> None:
        verb = {"SHARE": "REMOVE", "GROUP": "DROP"}.get(self.subject, "")
        key = self.take("RENAME", "OWNER", "COMMENT", "OPTIONS", "SET", "UNSET", *(("ADD", verb) if verb else ()))
        # What ALTER says of a shared object is not recorded.
        key = key or ("ADD" if self.subject == "SHARE" and self.take("ALTER") else "")
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
        if self.take("TABLES"):
            return self.listed(lambda: self.table("TABLE"))
        found = self.table(self.take(*_SHARED) or "TABLE")
        self.skip_clauses_of_shared()
        return [found]

    def member(self, kind: str) -> SecurableName:
        at = self.tokens[self.at] if self.left else None
        name = self.principal()
        assert at is not None
        start = self.written.start + at.start
        end = start + len(at.text)
        return SecurableName(kind, TableName((name,), start, end), start, end)

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
_SHOWN = {**{f"show_{name}s": kind for name, kind in _CLASSES.items()}, "show_users": "USER"}
_VERBS = ("grant", "revoke", "deny")
_SERVICE_KINDS = (
    *("MODEL", "REGISTERED MODEL", "WAREHOUSE", "SQL WAREHOUSE", "GENIE SPACE", "CLUSTER", "CLUSTER POLICY", "JOB"),
    *("PIPELINE", "APP", "DASHBOARD", "QUERY", "ALERT", "NOTEBOOK", "EXPERIMENT", "SERVING ENDPOINT", "CLEAN ROOM"),
    *("SECRET", "SECRET SCOPE", "POOL", "INSTANCE POOL", "INDEX", "ENDPOINT", "ONLINE TABLE", "POLICY", "REPO"),
)
"""Kinds of objects that services have, and a warehouse has not; others may be named as well."""


def _other(written: GrammarToken | Tree, name: TableName, start: int, text: str) -> SecurableName:
    """The object of a kind that the catalog has not. Raises UnsupportedSecurableError for a misspelt kind."""
    words = " ".join(token.key for token in sql_text(written, text).tokens)
    known = [*filter(None, _NAMED.values()), *_CLASSES.values(), "DATABASE", *_SERVICE_KINDS]
    similar = () if words in _SERVICE_KINDS else similar_names(words, known, cutoff=OPEN_SET)
    if similar:
        end = written.start + len(text[written.start : written.end].rstrip())
        error = errors.UnsupportedSecurableError(f"An object of the kind {words}", meant(similar))
        raise error.at(Caret(text, written.start, end))
    return SecurableName(words, name, start, name.end, is_other=True)


@builds("select_word")
def _select(children: list[Any], tree: Tree, text: str) -> str:
    """A reserved word of a privilege, as in SET SHARE PERMISSION."""
    return str(children[0]).upper()


@builds("privilege")
def _privilege(children: list[Any], tree: Tree, text: str) -> Privilege:
    words = " ".join(children).upper()
    return Privilege("ALL PRIVILEGES" if words == "ALL" else words, tree.start, tree.end)


@builds("principal", "recipient_principal")
def _principal(children: list[Any], tree: Tree, text: str) -> str:
    return str(children[0])


@builds(*_NAMED)
def _securable(children: list[Any], tree: Tree, text: str) -> SecurableName:
    """The types of a function's parameters say nothing: a name has one function."""
    return SecurableName(_NAMED[tree.name], children[0] if children else None, tree.start, tree.end)


@builds("classed_securable")
def _classed(children: list[Any], tree: Tree, text: str) -> SecurableName:
    kind, name = children
    return SecurableName(kind, name, tree.start, tree.end)


@builds("other_securable")
def _other_securable(children: list[Any], tree: Tree, text: str) -> SecurableName:
    return _other(tree.children[0], children[1], tree.start, text)


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


@builds("set_other_owner")
def _set_other_owner(children: list[Any], tree: Tree, text: str) -> SetOwner:
    _, name, principal = children
    return SetOwner(_other(tree.children[0], name, name.start, text), principal)


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
    tokens = written.tokens[1:-1]
    return tuple(_argument(item, written, text) for item in comma_separated(tokens)) if tokens else ()


def _argument(tokens: list[Token], written: SqlText, text: str) -> PolicyArgument:
    """Raises ParseSyntaxError for what is neither a column nor a constant."""
    if not tokens:
        reason = "An argument is missing: the arguments are columns or constants, with commas between them."
        raise errors.ParseSyntaxError(reason, written.text).at(Caret(text, written.start, written.end))
    start, end = written.start + tokens[0].start, written.start + tokens[-1].end
    if _is_constant(tokens):
        return PolicyArgument(text[start:end], False, start, end)
    if len(tokens) == 1 and tokens[0].is_name:
        return PolicyArgument(tokens[0].name, True, start, end)
    reason = "The arguments of a row filter and of a mask are columns of the table, and constants."
    raise errors.ParseSyntaxError(reason, text[start:end]).at(Caret(text, start, end))


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
        raise errors.ParseSyntaxError("An external location is changed by ALTER EXTERNAL LOCATION.", "OR REPLACE").at(
            Caret(text, tree.children[0].start, tree.children[0].end)
        )
    kind = _CREATED[tree.name]
    return CreateSecurable(kind, if_not_exists, name, *read_clauses(kind, rest, text))


@builds("alter_securable")
def _alter(children: list[Any], tree: Tree, text: str) -> AlterSecurable:
    kind, name, rest = children
    return AlterSecurable(kind, name, **read_alteration(kind, rest, text))


@builds("with_user", "with_group")
def _shown_member(children: list[Any], tree: Tree, text: str) -> str:
    return f"{tree.name.removeprefix('with_').upper()} {children[0]}"


@builds(*_SHOWN)
def _show(children: list[Any], tree: Tree, text: str) -> ShowSecurables:
    *member, pattern = children
    return ShowSecurables(_SHOWN[tree.name], member[0] if member else None, pattern)


@builds("show_share", "show_provider_shares")
def _show_share(children: list[Any], tree: Tree, text: str) -> ShowShare:
    name: TableName = children[0]
    return ShowShare("SHARE" if tree.name == "show_share" else "PROVIDER", name)
