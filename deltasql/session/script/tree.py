"""The syntax tree of a script. Statements of SQL and expressions stay text; names of variables keep their offsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, Union

from deltasql.plan.base import ColumnPath, SqlText


@dataclass(frozen=True, slots=True)
class Sql:
    """A statement of SQL, as text"""

    text: SqlText


@dataclass(frozen=True, slots=True)
class SetVariables:
    """SET a = e, … or SET (a, b) = (query); `text` is the text behind SET, `defaults` are values DEFAULT

    Each default is (start, end, its target).
    """

    text: SqlText
    targets: tuple[ColumnPath, ...]
    defaults: tuple[tuple[int, int, ColumnPath], ...]


@dataclass(frozen=True, slots=True)
class DeclareVariables:
    """DECLARE a, … type [DEFAULT e]; `rest` is the text behind the names, `default` the expression"""

    names: tuple[str, ...]
    rest: SqlText
    default: SqlText | None
    start: int


@dataclass(frozen=True, slots=True)
class DeclareCondition:
    """DECLARE name CONDITION [FOR SQLSTATE state]"""

    name: str
    sqlstate: str
    start: int


@dataclass(frozen=True, slots=True)
class DeclareCursor:
    """DECLARE name CURSOR FOR query"""

    name: str
    query: SqlText
    start: int


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger of a handler: `kind` is CONDITION, SQLSTATE, SQLEXCEPTION or NOT FOUND; `name` in capitals"""

    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Handler:
    """DECLARE {EXIT | CONTINUE} HANDLER FOR trigger, … body"""

    leaves: bool
    triggers: tuple[Trigger, ...]
    body: Statement
    start: int


Declaration: TypeAlias = Union[DeclareVariables, DeclareCondition, DeclareCursor, Handler]


@dataclass(frozen=True, slots=True)
class ScriptBlock:
    """[label:] BEGIN [NOT ATOMIC] declarations statements END [label]"""

    label: str | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ScriptBranch:
    """condition THEN statements"""

    condition: SqlText
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ScriptChoice:
    """IF … THEN … ELSEIF … ELSE … END IF, and CASE [subject] WHEN … END CASE"""

    subject: SqlText | None
    branches: tuple[ScriptBranch, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """[label:] {WHILE condition DO … END WHILE | REPEAT … UNTIL condition END REPEAT | LOOP … END LOOP}"""

    label: str | None
    before: SqlText | None
    body: tuple[Statement, ...]
    until: SqlText | None


@dataclass(frozen=True, slots=True)
class For:
    """[label:] FOR [variable AS] query DO … END FOR"""

    label: str | None
    variable: str | None
    query: SqlText
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Jump:
    """LEAVE label, ITERATE label"""

    label: str
    again: bool


@dataclass(frozen=True, slots=True)
class Signal:
    """SIGNAL {condition | SQLSTATE state} [SET {MESSAGE_TEXT | MESSAGE_ARGUMENTS} = e]"""

    condition: str | None
    sqlstate: str | None
    message: SqlText | None
    arguments: SqlText | None
    start: int


@dataclass(frozen=True, slots=True)
class Resignal:
    """RESIGNAL"""

    start: int


@dataclass(frozen=True, slots=True)
class GetDiagnostics:
    """GET DIAGNOSTICS CONDITION 1 variable = item, …"""

    items: tuple[tuple[ColumnPath, str], ...]
    start: int


@dataclass(frozen=True, slots=True)
class OpenCursor:
    """OPEN cursor [USING value, …]"""

    cursor: ColumnPath
    values: SqlText | None


@dataclass(frozen=True, slots=True)
class FetchCursor:
    """FETCH [[NEXT] FROM] cursor INTO variable, …"""

    cursor: ColumnPath
    variables: tuple[ColumnPath, ...]


@dataclass(frozen=True, slots=True)
class CloseCursor:
    """CLOSE cursor"""

    cursor: ColumnPath


Statement: TypeAlias = Union[
    Sql,
    SetVariables,
    ScriptBlock,
    ScriptChoice,
    Loop,
    For,
    Jump,
    Signal,
    Resignal,
    GetDiagnostics,
    OpenCursor,
    FetchCursor,
    CloseCursor,
]
