"""Steps through the tokens of a script; raises syntax errors at unexpected ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.script import LabelExistsError, LabelForbiddenError
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.plan.base import ColumnPath, SqlText
from deltasql.sql.constants import unquote
from deltasql.sql.tokens import Token, TokenCursor, tokenize

_NO_LABELS = frozenset({"SYSTEM", "SESSION", "BUILTIN", "LOCAL"})


class ScriptReader(TokenCursor):
    """A position in the tokens of `script`. Results have offsets in that text.

    `labels` are those of the blocks and loops around the place, in capitals, each with whether it is a loop's.
    """

    def __init__(self, script: str) -> None:
        super().__init__(tokenize(script))
        self.script = script
        self.labels: dict[str, bool] = {}

    def expect(self, *keys: str) -> str:
        """A step over the next token, which must be one of these. Raises ParseSyntaxError."""
        return self.take(*keys) or self.wrong(*keys)

    def phrase(self, *keys: str) -> bool:
        """A step over these tokens where they follow."""
        if any(self.peek(ahead) != key for ahead, key in enumerate(keys)):
            return False
        self.at += len(keys)
        return True

    def wrong(self, *expected: str) -> NoReturn:
        """Raises ParseSyntaxError for the next token."""
        token = self.tokens[self.at] if self.left else None
        text = token.text if token else ""
        shown = f"'{text}'" if token else "the end of the script"
        start = token.start if token else len(self.script.rstrip())
        reason = f"Found {shown}, but expected {' or '.join(expected)}."
        error = ParseSyntaxError(reason, text, expected)
        raise error.at(Caret(self.script, start, max(start + 1, token.end if token else 0)))

    @property
    def offset(self) -> int:
        """Where the next token stands."""
        return self.tokens[self.at].start if self.left else len(self.script)

    def refuse(self, error: DeltaSqlError, first: int) -> NoReturn:
        """Raises `error`, placed at the tokens from index `first` up to the cursor."""
        raise error.at(Caret(self.script, self.tokens[first].start, self.tokens[max(first, self.at - 1)].end))

    def word(self, kind: str) -> str:
        """The next token as a name. Raises ParseSyntaxError, where it calls that `kind`."""
        if not self.is_name:
            self.wrong(kind)
        return self.next().name

    def path(self, kind: str) -> ColumnPath:
        """The next tokens as a name with dots."""
        if not self.is_name:
            self.wrong(kind)
        names = self.dotted()
        return ColumnPath(tuple(token.name for token in names), names[0].start, names[-1].end)

    def string(self) -> str:
        """The value of the string that is next."""
        if self.kind != "string":
            self.wrong("a string")
        return unquote(self.next().text)

    def text(self, first: int, end: int) -> SqlText:
        """The script's text from token `first` up to token `end`."""
        if first >= end:
            return SqlText("", self.offset)
        start = self.tokens[first].start
        return SqlText(self.script[start : self.tokens[end - 1].end], start)

    def until(self, kind: str, *keys: str) -> SqlText:
        """The text up to one of `keys` outside of brackets and CASE, which it stops at. Raises ParseSyntaxError."""
        first, cases = self.at, 0
        while self.left and self.key != ";":
            dotted = self.peek(-1) == "."
            if not cases and not dotted and self.key in keys:
                break
            cases += (self.key == "CASE" and not dotted) - (self.key == "END" and not dotted and cases > 0)
            self.group()
        if self.at == first:
            self.wrong(kind)
        if self.key not in keys:
            self.wrong(*keys)
        return self.text(first, self.at)

    def statement_text(self) -> SqlText:
        """The text up to the next `;`, which it stops at."""
        first = self.at
        while self.left and self.key != ";":
            self.at += 1
        return self.text(first, self.at)

    @contextmanager
    def labelled(self, label: Token | None, *, loop: bool) -> Iterator[None]:
        """Within the context, a label may be left, and with `loop` iterated. Raises LabelExistsError and the like."""
        if label is None:
            yield
            return
        key, caret = label.name.upper(), Caret(self.script, label.start, label.end)
        if key in _NO_LABELS:
            raise LabelForbiddenError(label=label.name).at(caret)
        if key in self.labels:
            raise LabelExistsError(label=label.name).at(caret)
        self.labels[key] = loop
        try:
            yield
        finally:
            del self.labels[key]


def listed(reader: ScriptReader, item: Callable[[], None]) -> None:
    """Calls `item` for each of the things between commas."""
    item()
    while reader.take(","):
        item()
