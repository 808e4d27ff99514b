"""What no user must read: names of our own in the text of an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from deltasql.base.errors.base import DeltaSqlError
from deltasql.session.session import Session

_HIDDEN = re.compile(
    r"__deltasql_\w*|DELTASQL_(?!SECRET)[A-Z]+\|?|\b__[xc]\d+\b|\b__value\b|deltasql_dir_|__CHAR_VARCHAR\w*"
)


def hidden_names(message: str, sql: str) -> list[str]:
    """The names of ours in an error's message that the user has not written."""
    return [name for name in _HIDDEN.findall(message) if name not in sql]


@contextmanager
def watched_sessions() -> Iterator[list[str]]:
    """While it lasts, every error of a session is looked at. Gives what was found, one text for each."""
    found: list[str] = []
    plain = {name: getattr(Session, name) for name in ("sql", "begin")}

    def watched(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(self: Session, text: str, *args: Any, **names: Any) -> Any:
            try:
                return method(self, text, *args, **names)
            except DeltaSqlError as error:
                found.extend(f"{name} in {error}" for name in hidden_names(error.message, text))
                raise

        return call

    for name, method in plain.items():
        setattr(Session, name, watched(method))
    try:
        yield found
    finally:
        for name, method in plain.items():
            setattr(Session, name, method)
