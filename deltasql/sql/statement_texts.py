"""Texts of statements: scripts split into statements, and SQL with parts replaced and offsets mapped to the original.

A statement ends at a `;` outside strings, quoted names, comments and BEGIN … END. Inside BEGIN … END, which contains
semicolons, only opening and closing keywords are counted. An unclosed piece runs to the end of the script.

Only names of tables and columns are read, whatever stands around them; text that is not replaced stays byte for byte.
current_schema(), current_database() and current_catalog() become literals, since Spark has other current names; such a
call gets no alias where it may not be a whole column. Bodies of functions between tags, `$py$ … $py$`, are put between
`$$`, as all readers of SQL take them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from deltasql.base import (
    GAP,
    PIECE,
    QUOTED_NAME,
    TOKEN,
    WORD,
    DeltaSqlError,
    Token,
    TokenCursor,
    balanced_end,
    closing,
    comment_end,
    errors,
    skip_blanks,
    tokenize,
    tokens_from,
)
from deltasql.schema import folded, sql_literal
from deltasql.schema import quote_name as quote
from deltasql.sql.constants import unquote
from deltasql.sql.notebooks import SQL, cells_of, is_notebook
from deltasql.sql.queries.relations import TableReference, table_references
from deltasql.sql.references import name_chains

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
    for chain in name_chains(sql):
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
_USERS = frozenset({"current_user", "session_user", "user"})
_MEMBERSHIPS = frozenset({"is_member", "is_account_group_member"})
_OF_SESSION = re.compile(r"current_|session_user|\buser\b|is_member|is_account_group_member", re.IGNORECASE)
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


class SessionUser(NamedTuple):
    """The user of a session and its groups; a user of None is the one that the engine knows."""

    user: str | None = None
    groups: tuple[str, ...] = ()


def current_names(
    sql: str,
    current: tuple[str, str],
    identity: SessionUser = SessionUser(),  # noqa: B008 - a named tuple
    is_own: Callable[[str], bool] = lambda name: False,
) -> Iterator[Replacement]:
    """Replacements of calls in `sql` that tell of the session: `current` catalog and schema, the user, its groups.

    A call that is a whole column of a SELECT gets the name of the column in the engine as alias. A function that
    `is_own`, by its name without a qualifier, is left.
    """
    if _OF_SESSION.search(sql) is None:
        return
    tokens = tokenize(sql)
    for first, index, name in _calls_of_session(tokens, is_own):
        if name in _MEMBERSHIPS:
            yield from _membership(sql, tokens, (first, index), identity.groups)
        elif [item.key for item in tokens[index + 1 : index + 3]] == ["(", ")"]:
            value = identity.user if name in _USERS else current[_FUNCTIONS[name]]
            if value is not None:
                shown = _shown_name(tokens, first, index + 3, f"{_SHOWN.get(name, name)}()")
                yield tokens[first].start, tokens[index + 2].end, sql_literal(value) + shown


def _calls_of_session(tokens: Sequence[Token], is_own: Callable[[str], bool]) -> Iterator[tuple[int, int, str]]:
    """Names of functions that tell of the session: the first token with qualifiers, that of the name, the name."""
    for index, token in enumerate(tokens):
        name = token.name.lower() if token.is_name else ""
        if name in _FUNCTIONS or name in _USERS or name in _MEMBERSHIPS:
            first = first_of_call(tokens, index)
            if first is not None and (first < index or name in _FUNCTIONS or not is_own(name)):
                yield first, index, name


def _shown_name(tokens: Sequence[Token], first: int, after: int, name: str) -> str:
    """The alias of a call from the token `first` up to `after`, if it is a whole column of a SELECT; else ""."""
    return f" AS {_quoted_always(name)}" if is_whole_column(tokens, first, after - 1) else ""


def _quoted_always(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _membership(
    sql: str, tokens: Sequence[Token], call: tuple[int, int], groups: Sequence[str]
) -> Iterator[Replacement]:
    """Replacements of is_member(group), whose first token and whose name are at `call`, by what is known of groups.

    A call without an argument, or with several, is left to the engine.
    """
    first, index = call
    close = _closing(tokens, index + 1)
    if close is None or close == index + 2:
        return
    arguments = tokens[index + 2 : close]
    name = "".join(item.name if item.kind == "string" else sql[item.start : item.end] for item in arguments)
    if len(arguments) == 1 and arguments[0].kind == "string":
        group = unquote(arguments[0].text)
        shown = _shown_name(tokens, first, close + 1, f"{tokens[index].name.lower()}({group})")
        yield tokens[first].start, tokens[close].end, ("true" if group in groups else "false") + shown
        return
    shown = _shown_name(tokens, first, close + 1, f"{tokens[index].name.lower()}({name})")
    listed = f") IN ({', '.join(map(sql_literal, groups))})" if groups else ") IS NULL AND false"
    yield tokens[first].start, tokens[index + 1].end, "(("
    yield tokens[close].start, tokens[close].end, f"{listed}){shown}"


def _closing(tokens: Sequence[Token], opening: int) -> int | None:
    """The index of the parenthesis that closes the one at `opening`; None without one, or with a comma between them."""
    depth = 0
    for index in range(opening, len(tokens)):
        depth += (tokens[index].key in {"(", "["}) - (tokens[index].key in {")", "]"})
        if depth == 0:
            return index if tokens[opening].key == "(" else None
        if depth == 1 and tokens[index].key == ",":
            return None
    return None


def is_whole_column(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether the tokens from `first` to `last` are a whole column of a SELECT without an alias."""
    after = tokens[last + 1].key if last + 1 < len(tokens) else ""
    return after in _ITEM_ENDS and _begins_column(tokens, first)


def first_of_call(tokens: Sequence[Token], index: int) -> int | None:
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


_LISTED = re.compile(r"\bVALUES\b.*\)\s*(?:\)\s*)?\(", re.IGNORECASE | re.DOTALL)


def unnamed_columns(sql: str) -> Iterator[Replacement]:
    """Insertions of an alias before the list of columns behind VALUES: `VALUES (1, 2) (a, b)`, which Spark lacks."""
    if _LISTED.search(sql) is None:
        return
    tokens = tokenize(sql)
    for index, token in enumerate(tokens):
        if token.key != "VALUES":
            continue
        at = _after_rows(tokens, index + 1)
        if at is not None and tokens[index - 1 : index][:1] and tokens[index - 1].key == "(" and at < len(tokens):
            at += tokens[at].key == ")"
        if at is not None and _is_list_of_names(tokens, at):
            yield tokens[at].start, tokens[at].start, "AS `values`"


def _after_rows(tokens: Sequence[Token], at: int) -> int | None:
    """The index behind rows in parentheses with commas between them; None without rows."""
    while at < len(tokens) and tokens[at].key == "(":
        at = closing(tokens, at) + 1
        if at >= len(tokens) or tokens[at].key != ",":
            return at
        at += 1
    return None


def _is_list_of_names(tokens: Sequence[Token], at: int) -> bool:
    """Whether (a, b, …) stands at an index."""
    if at >= len(tokens) or tokens[at].key != "(":
        return False
    inside = tokens[at + 1 : closing(tokens, at)]
    commas = all(token.key == "," for token in inside[1::2])
    return len(inside) % 2 == 1 and commas and all(token.is_name for token in inside[::2])


# BEGIN; and BEGIN TRANSACTION; stand alone.
_LABEL = rf"(?:(?:{WORD}|{QUOTED_NAME}){GAP}*:{GAP}*)?"
_OPENING = re.compile(
    rf"(?:EXPLAIN{GAP}+(?:(?:EXTENDED|FORMATTED|CODEGEN|COST|ANALYZE){GAP}+)?)?"
    rf"{_LABEL}BEGIN\b(?!{GAP}*(?:(?:TRANSACTION|WORK)\b|;|\Z))"
    rf"|CREATE{GAP}+(?:OR{GAP}+REPLACE{GAP}+)?PROCEDURE\b",
    re.IGNORECASE,
)
_SCRIPT = re.compile(rf"{_LABEL}BEGIN\b(?!{GAP}*(?:(?:TRANSACTION|WORK|ATOMIC)\b|;|\Z))", re.IGNORECASE)
_QUOTES = frozenset("'\"`")
_LOOPS = frozenset({"IF", "WHILE", "LOOP", "REPEAT", "FOR"})
_BEFORE_BLOCK = frozenset({"AS", "EXPLAIN", "EXTENDED", "FORMATTED", "CODEGEN", "COST", "ANALYZE"})
_BEFORE_PROCEDURE = frozenset({"CREATE", "REPLACE"})
_BEFORE_PARAMETER = frozenset({"(", ",", "IN", "OUT", "INOUT"})
_BEFORE_STATEMENT = frozenset({"", ";", ":", "BEGIN", "ATOMIC", "THEN", "ELSE", "DO", "LOOP", "REPEAT"})


class Statement(NamedTuple):
    """One statement of a script: its text without the `;`, and its offset in the script."""

    text: str
    start: int

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text, with offsets in it."""
        return tokenize(self.text)

    def line_in(self, script: str, error: DeltaSqlError) -> int:
        """The line of `script` of an error in the statement: that of the caret, or the first of the statement."""
        return script.count("\n", 0, self.start) + (error.caret.line if error.caret else 1)


def split(script: str) -> Iterator[Statement]:
    """The statements of `script`, in order, without the empty ones; comments stay with the statement that follows.

    A `;` inside a string, a quoted name, a comment or BEGIN … END does not count. What is not closed runs to the end.
    Of the source of a notebook, these are the statements of its SQL cells; the end of a cell ends a statement.
    """
    if is_notebook(script):
        for cell in cells_of(script):
            if cell.language == SQL:
                yield from (Statement(item.text, cell.in_file(item.start)) for item in _split(cell.text))
    else:
        yield from _split(script)


def _split(script: str) -> Iterator[Statement]:
    start = 0
    for end in _ends(without_tags(script)):
        statement = _trimmed(script, start, end)
        if statement is not None:
            yield statement
        start = end + 1


def is_complete(script: str) -> bool:
    """True if a `;` ends the last statement of `script`, so that it is complete."""
    script = without_tags(script)
    ends = list(_ends(script))
    return len(ends) > 1 and _trimmed(script, ends[-2] + 1, ends[-1]) is None


def unclosed(script: str) -> str:
    """The opening of the last unclosed piece of `script`: a quote, `/*` or a bracket; "" where all are closed."""
    position = 0
    try:
        while position < len(script):
            position = skip_blanks(script, balanced_end(script, position)) + 1
    except errors.ParseSyntaxError as error:
        return "" if error.found in {")", "]"} else error.found
    return ""


def is_script(text: str) -> bool:
    """Whether a statement is BEGIN … END, a script; BEGIN ATOMIC and BEGIN TRANSACTION are not."""
    try:
        return _SCRIPT.match(text, skip_blanks(text, 0)) is not None
    except errors.ParseSyntaxError:
        return False


def _trimmed(script: str, start: int, end: int) -> Statement | None:
    """The statement between two offsets, or None when there are only blanks and comments."""
    text = script[start:end]
    if _is_blank(text):
        return None
    stripped = text.strip()
    return Statement(stripped, start + text.index(stripped))


def _is_blank(text: str) -> bool:
    try:
        return skip_blanks(text, 0) == len(text)
    except errors.ParseSyntaxError:
        # A comment that is not closed is worth an error when the statement is parsed.
        return False


def _ends(script: str) -> Iterator[int]:
    """Offsets of the semicolons that end statements, and the length of `script` at last."""
    position = 0
    while position < len(script):
        end = _statement_end(script, _after_block(script, position))
        if end < len(script):
            yield end
        position = end + 1
    yield len(script)


def _statement_end(script: str, start: int) -> int:
    """The offset of the next `;` that ends a statement, or the length of `script`."""
    at: int | None = start
    while at is not None:
        begin, at = at, None
        for piece in PIECE.finditer(script, begin):
            if piece.lastgroup != "special":
                continue
            special = piece[0]
            if special == ";":
                return piece.start()
            if special == "/" and script.startswith("/*", piece.start()):
                at = comment_end(script, piece.start())
                break
            if special in "'\"`":
                break
    return len(script)


def _after_block(script: str, start: int) -> int:
    """The end of the BEGIN … END that is the next statement; `start` for any other statement."""
    try:
        end = block_end(script, skip_blanks(script, start))
    except errors.ParseSyntaxError:
        return start
    return start if end is None else end


def block_end(script: str, start: int) -> int | None:
    """The offset of the `;` after the block that begins at `start`, or the length of `script`; None without a block."""
    if not _OPENING.match(script, start):
        return None
    blocks = _Blocks()
    for token in tokens_from(script, start):
        if token.key in _QUOTES:
            break
        blocks.take(token.text.upper())
        if token.key == ";" and not blocks.open:
            return token.start
    return len(script)


class _Blocks:
    """The open blocks after the tokens so far: BEGIN and CASE, each until its END.

    IF, WHILE, LOOP, REPEAT and FOR are not counted, since END names them.
    """

    def __init__(self) -> None:
        self.open: list[str] = []
        self.previous = ""
        self._declares = self._defines = False

    def take(self, token: str) -> None:
        at_start = self.previous in _BEFORE_STATEMENT
        if self.previous == ";":
            self._declares = self._defines = False
        self._settle(token)
        self._defines = self._defines or (token == "PROCEDURE" and self.previous in _BEFORE_PROCEDURE)
        if self.previous != "END" or token != "CASE":
            self._note(token, at_start)
        self.previous = token

    def _settle(self, token: str) -> None:
        """Resolves an END by the token behind it: END IF ends no counted block, any other END ends one."""
        if self.open and self.open[-1] == "END":
            if self.previous == "END" and token in _LOOPS:
                self.open[-1] = "BEGIN"
            else:
                self.open.pop()

    def _note(self, token: str, at_start: bool) -> None:
        if token == "BEGIN" and (at_start or self._declares or self._begins_body()):
            self.open.append("BEGIN")
        elif token == "DECLARE" and at_start:
            self._declares = True
        elif token == "CASE" and self.previous != ".":
            self.open.append("CASE")
        elif token == "END" and self.open:
            self._end(at_start)

    def _begins_body(self) -> bool:
        """Whether BEGIN begins a block behind AS or EXPLAIN, or a body whose AS is missing. A parameter may be `begin`.

        Within a block AS may stand before an alias as well.
        """
        if self._defines:
            return self.previous not in _BEFORE_PARAMETER
        return self.previous in _BEFORE_BLOCK and not self.open

    def _end(self, at_start: bool) -> None:
        if self.open[-1] == "CASE":
            self.open.pop()
        elif at_start:
            # Whether it ends the block, or an IF inside, the next word tells.
            self.open[-1] = "END"


_TAG = re.compile(r"\$[A-Za-z_]\w*\$")


def without_tags(sql: str) -> str:
    """`sql` with `$$` in place of the tags around a body, at the same offsets.

    Unclosed tags stay, and so do those around a text that holds `$$`.
    """
    if _TAG.search(sql) is None:
        return sql
    pieces, at, kept = list[str](), 0, 0
    while at < len(sql):
        token, tag = TOKEN.match(sql, at), _TAG.match(sql, at)
        assert token is not None
        end = (
            -1 if tag is None or (at and (sql[at - 1].isalnum() or sql[at - 1] == "_")) else sql.find(tag[0], tag.end())
        )
        if tag is None or end < 0 or "$$" in sql[tag.end() : end]:
            at = token.end()
            continue
        blanks = " " * (len(tag[0]) - 2)
        pieces += [sql[kept:at], blanks, "$$", sql[tag.end() : end], "$$", blanks]
        at = kept = end + len(tag[0])
    return "".join([*pieces, sql[kept:]])


_MOST = 4
_CLONES = ("SHALLOW", "DEEP", "CLONE")


def statement_words(sql: str, start: int, end: int) -> str:
    """The keywords before the name of the statement's table, which is from `start` to `end`; "" without any.

    Of ALTER TABLE also the two behind it.
    """
    tokens = tokenize(sql)
    before = [token for token in tokens if token.end <= start]
    words = list(takewhile(_is_word, reversed(before)))[:_MOST][::-1]
    keys = [token.key for token in words if token.key != "EXPLAIN"]
    if keys[:2] == ["ALTER", "TABLE"]:
        behind = takewhile(_is_word, (token for token in tokens if token.start >= end))
        return " ".join(["ALTER TABLE …", *(token.key for token in list(behind)[:2])])
    return _splitting_shortened(keys)


def _splitting_shortened(keys: list[str]) -> str:
    """The words before a name without other names among them."""
    if keys[-1:] == ["CLONE"]:
        return " ".join(key for key in keys[-2:] if key in _CLONES)
    if keys == ["FOR", "TABLE"]:
        return "GENERATE"
    if keys[-1:] == ["LIKE"]:
        return "CREATE TABLE … LIKE"
    return " ".join(keys)


def _is_word(token: Token) -> bool:
    return token.kind == "word" and token.key.isalpha()


_BEFORE_SELECT = frozenset(
    {"UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS", "NAME", "AS", ".", ",", "|>", "=", "->"}
)


def second_query(sql: str) -> Token | None:
    """The SELECT of a query that begins where another one has not ended: `SELECT 1 SELECT 2`; None without one.

    A query that begins with FROM may have its SELECT at the end, and several of INSERT.
    """
    depth, first, previous = 0, None, None
    for token in tokenize(sql):
        if first is None and token.key == "FROM":
            return None
        if token.key == ";":
            first = None
        depth += (token.key in {"(", "["}) - (token.key in {")", "]"})
        if depth == 0 and token.key == "SELECT" and token.kind == "word":
            if first is not None and previous is not None and previous.key not in _BEFORE_SELECT:
                return token
            first = token
        previous = token
    return None


def declared_variables(sql: str) -> Iterator[str]:
    """The names of the session variables that a DECLARE creates; none for any other statement."""
    at = TokenCursor(sql)
    if not at.take("DECLARE"):
        return
    at.take("OR")
    at.take("REPLACE")
    at.take("VARIABLE", "VAR")
    while at.left and at.is_name:
        yield at.dotted()[-1].name
        if not at.take(","):
            return
