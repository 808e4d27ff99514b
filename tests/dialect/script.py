"""Files of statements as documentation and tools write them, with what becomes of each.

Before each statement stands `-- works`, or `-- refused CONDITION`, which is one sentence that names what is not here.
A file whose first comments hold the line `-- needs a JVM` may start Spark, the others must not. `${HERE}` is the folder
of the warehouse, which every file has for itself.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from deltasql.base.errors.base import DeltaSqlError
from deltasql.clients.golden import temporary_sessions
from deltasql.session.session import Session
from deltasql.sql.parser import split

FOLDER = Path(__file__).parent

_NEEDS_JVM = "-- needs a JVM"
_EXPECTED = re.compile(r"-- (works|refused \S+)")
_UNNAMED = {"PARSE_SYNTAX_ERROR", "INTERNAL_ERROR", DeltaSqlError.condition}
_FEWEST_WORDS = 5


class Statement(NamedTuple):
    """One statement. `comments` are those before it but for its outcome, which is None where none is written yet."""

    text: str
    comments: tuple[str, ...]
    expected: str | None


class Outcome(NamedTuple):
    """What became of a statement: `told` is "works" or "refused CONDITION", `message` what the refusal says.

    `defect` is what no statement may come to: a bare syntax error, a refusal that says nothing, a needless JVM.
    """

    statement: Statement
    told: str
    message: str
    defect: str = ""


class Script(NamedTuple):
    """`jvm`: whether the file may start Spark."""

    path: Path
    jvm: bool
    statements: tuple[Statement, ...]


def files() -> list[Path]:
    """The files of the suite, sorted."""
    return sorted(FOLDER.glob("*.sql"))


def read(path: Path) -> Script:
    """The statements of a file."""
    text = path.read_text(encoding="utf-8")
    return Script(path, _NEEDS_JVM in text.splitlines(), tuple(_statement(item.text) for item in split(text)))


def _statement(text: str) -> Statement:
    lines = text.splitlines()
    count = next(number for number, line in enumerate(lines) if line.strip() and not line.startswith("--"))
    outcomes = [found[1] for line in lines[:count] if (found := _EXPECTED.fullmatch(line))]
    comments = tuple(line for line in lines[:count] if not _EXPECTED.fullmatch(line))
    return Statement("\n".join(lines[count:]).strip(), comments, outcomes[-1] if outcomes else None)


def run(script: Script) -> Iterator[Outcome]:
    """What becomes of the statements, one after another, in a warehouse of their own."""
    with tempfile.TemporaryDirectory(prefix="deltasql-dialect-") as name:
        here = str(Path(name).resolve())
        session = temporary_sessions()(f"{here}/warehouse")
        try:
            for statement in script.statements:
                outcome = _outcome(session, statement, here)
                if session.spark_started and not script.jvm:
                    outcome = outcome._replace(defect="it starts Spark, and the file says that it does not")
                yield outcome
        finally:
            # Spark is shared with the files that follow.
            session.sql("RESET")
            session.close()


def _outcome(session: Session, statement: Statement, here: str) -> Outcome:
    try:
        session.sql(statement.text.replace("${HERE}", here)).collect()
    except DeltaSqlError as error:
        return Outcome(statement, f"refused {error.condition}", error.message, _defect(error))
    return Outcome(statement, "works", "")


def _defect(error: DeltaSqlError) -> str:
    if error.condition in _UNNAMED:
        return f"it ends in {error.condition}"
    return "" if len(error.message.split()) > _FEWEST_WORDS else "the refusal says too little"


def written(outcomes: Iterator[Outcome]) -> str:
    """The file again, with the outcomes that are the case."""
    parts = []
    for outcome in outcomes:
        head = "\n".join(outcome.statement.comments)
        parts.append(f"{head}\n-- {outcome.told}\n{outcome.statement.text};\n")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).lstrip("\n")
