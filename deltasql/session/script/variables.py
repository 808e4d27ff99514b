"""The variables of a script, which are variables of Spark's session for as long as their block lasts.

So Spark resolves them in any expression, after columns. The innermost variable of a name has that name in Spark; one
that it hides, of the session or of an outer block, has a generated name meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any
from uuid import uuid4

from deltasql.plan.base import ColumnPath, SqlText, quote
from deltasql.plan.hidden import hidden
from deltasql.session.script.host import Host, ResultRows
from deltasql.session.script.tree import Handler
from deltasql.sql.cursor import TokenCursor
from deltasql.sql.queries.relations import table_references
from deltasql.sql.text_edits import Replacement
from deltasql.sql.tokens import Token, tokenize

_ROW_STATEMENTS = frozenset({"UPDATE", "DELETE", "MERGE", "INSERT"})
_AFTER_TARGET = frozenset({"SET", "WHERE", "USING", "VALUES", "SELECT"})


@dataclass(slots=True)
class Variable:
    """One variable. `spark_name` is its current name in Spark: its own, or a generated one. `default` is for SET."""

    name: str
    spark_name: str
    default: SqlText | None = None

    @property
    def sql(self) -> str:
        return f"session.{quote(self.spark_name)}"


@dataclass(slots=True)
class ScriptCursor:
    """A cursor, open while it has `rows`; `at` is the index of the next one."""

    name: str
    query: SqlText
    rows: ResultRows | None = None
    at: int = 0


@dataclass(slots=True, eq=False)
class VariableScope:
    """The declarations of a block or of the rows of a FOR, by key in capitals. `handling`: one of its handlers runs."""

    label: str
    variables: dict[str, Variable] = field(default_factory=dict)
    conditions: dict[str, str] = field(default_factory=dict)
    cursors: dict[str, ScriptCursor] = field(default_factory=dict)
    handlers: list[Handler] = field(default_factory=list)
    handling: bool = False


Scopes = Sequence[VariableScope]
"""From the outermost to the innermost."""


def visible(scopes: Scopes, key: str) -> Variable | None:
    """The variable that a name refers to; None for one of the session's."""
    return next((scope.variables[key] for scope in reversed(scopes) if key in scope.variables), None)


class Variables:
    """The variables by their current names in Spark."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._owners: dict[str, Variable] = {}
        self._of_session: dict[str, Variable] = {}
        self._free: set[str] = set()

    def declare(self, scope: VariableScope, names: Iterable[str], declare: Callable[[str], Any]) -> list[Variable]:
        """Creates variables of `scope`; `declare` declares those of the names that it gets, which are SQL."""
        variables = {name.upper(): Variable(name, name) for name in names}
        if not any(self._taken(key, variable.name) for key, variable in variables.items()):
            declare(", ".join(quote(variable.name) for variable in variables.values()))
        else:
            self._declare_beside(variables, declare)
        self._owners |= variables
        scope.variables |= variables
        return list(variables.values())

    def _declare_beside(self, variables: dict[str, Variable], declare: Callable[[str], Any]) -> None:
        """Creates variables whose names are taken: their values may be computed from the variables they hide."""
        spark_names = {key: _generated_name() for key in variables}
        declare(", ".join(map(quote, spark_names.values())))
        for key, variable in variables.items():
            owner = self._owners.get(key)
            if owner is not None:
                self._hide(owner)
            variable.spark_name = spark_names[key]
            self._show(variable)

    def leave(self, scope: VariableScope, around: Scopes) -> None:
        """Drops the variables of a block, and restores those that they have hidden."""
        for key, variable in scope.variables.items():
            self._host.command(f"DROP TEMPORARY VARIABLE IF EXISTS {quote(variable.spark_name)}")
            if self._owners.get(key) is variable:
                del self._owners[key]
        scope.variables.clear()
        self.show(around)

    def show(self, scopes: Scopes) -> None:
        """Renames variables in Spark, so that each name refers to its variable in `scopes`."""
        hidden_keys = {variable.name.upper() for scope in scopes for variable in scope.variables.values()}
        for key in {*self._owners, *self._of_session, *hidden_keys}:
            shown = visible(scopes, key) or self._of_session.get(key)
            owner = self._owners.get(key)
            if owner is shown:
                continue
            if owner is not None:
                self._hide(owner)
            if shown is not None:
                self._show(shown)

    def named(self, scopes: Scopes, path: ColumnPath) -> str:
        """The variable that a path refers to, as SQL."""
        variable = self._find(scopes, path.parts)
        return str(path) if variable is None else variable.sql

    def replacements(self, scopes: Scopes, piece: SqlText) -> Iterator[Replacement]:
        """Replacements of names with a label, or `session`, in a piece of the script by names in Spark."""
        labels = {scope.label for scope in scopes if scope.variables} - {""}
        if not (labels or self._of_session):
            return
        tokens = tokenize(piece.text)
        labels -= _relations(piece.text, tokens)
        for index, token, name in _qualified(tokens):
            key = token.name.upper()
            first = _first(tokens, index, key == "SESSION")
            variable = self._find(scopes, (key, name.name)) if key in {*labels, "SESSION"} else None
            if first is not None and variable is not None:
                yield first.start, name.end, variable.sql

    def user_name(self, scopes: Scopes, name: str) -> str:
        """The user's name for a column whose name is that of a variable in Spark."""
        variables = (item for scope in scopes for item in scope.variables.values())
        return next((item.name for item in (*variables, *self._of_session.values()) if item.spark_name == name), name)

    def forget(self) -> None:
        """Called after a statement that may have created variables of the session."""
        self._free.clear()

    def default(self, scopes: Scopes, path: ColumnPath) -> str | None:
        """The SQL of a variable's default; None for one of the session's, which Spark knows."""
        variable = self._find(scopes, path.parts)
        if variable is None or variable in self._of_session.values():
            return None
        return f"({variable.default.text})" if variable.default else "NULL"

    def _find(self, scopes: Scopes, parts: tuple[str, ...]) -> Variable | None:
        *qualifiers, name = (part.upper() for part in parts)
        if not qualifiers:
            return visible(scopes, name)
        if qualifiers in (["SESSION"], ["SYSTEM", "SESSION"]):
            return self._of_session.get(name)
        owners = (scope for scope in reversed(scopes) if scope.label == qualifiers[-1] and len(qualifiers) == 1)
        return next((scope.variables[name] for scope in owners if name in scope.variables), None)

    def _taken(self, key: str, name: str) -> bool:
        """Whether a variable of this name exists in Spark: of a block around, or of the session."""
        if key in self._owners:
            return True
        if key not in self._free and self._host.has_variable(name):
            self._of_session[key] = self._owners[key] = Variable(name, name)
            return True
        self._free.add(key)
        return False

    def _hide(self, variable: Variable) -> None:
        spark_name = _generated_name()
        self._host.command(f"DECLARE OR REPLACE VARIABLE {quote(spark_name)} = {variable.sql}")
        self._host.command(f"DROP TEMPORARY VARIABLE {quote(variable.name)}")
        variable.spark_name = spark_name
        del self._owners[variable.name.upper()]

    def _show(self, variable: Variable) -> None:
        name, spark_name = quote(variable.name), quote(variable.spark_name)
        self._host.command(f"DECLARE OR REPLACE VARIABLE {name} = {variable.sql}")
        self._host.command(f"DROP TEMPORARY VARIABLE {spark_name}")
        variable.spark_name = variable.name
        self._owners[variable.name.upper()] = variable


def _generated_name() -> str:
    return hidden(f"variable_{uuid4().hex}")


def _qualified(tokens: Sequence[Token]) -> Iterator[tuple[int, Token, Token]]:
    """The names that are followed by a dot and another name, each with its index."""
    for index, (token, dot, name) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
        if token.is_name and dot.key == "." and name.is_name:
            yield index, token, name


def _first(tokens: Sequence[Token], index: int, is_session: bool) -> Token | None:
    """The first token of a variable whose qualifier is at `index`; None where that is part of a longer name."""
    if not index or tokens[index - 1].key != ".":
        return tokens[index]
    of_system = is_session and index > 1 and tokens[index - 2].key == "SYSTEM"
    return tokens[index - 2] if of_system else None


def _relations(text: str, tokens: Sequence[Token]) -> set[str]:
    """The names, in capitals, by which columns may be qualified: tables and aliases. They come before labels."""
    names = {(reference.alias or reference.parts[-1]).upper() for reference in table_references(text)}
    if tokens and tokens[0].key in _ROW_STATEMENTS:
        head = takewhile(lambda token: token.key not in _AFTER_TARGET, tokens)
        names |= {token.name.upper() for token in head if token.is_name}
    behind = TokenCursor(tokens)
    while behind.left:
        if behind.next().key == ")":
            behind.take("AS")
            names |= {behind.next().name.upper()} if behind.is_name else set()
    return names
