"""Secrets: the names that stand for them, and their removal from texts. No other module decides what is a secret.

Source of the names: Spark's `spark.redaction.regex`, and the keys of the file systems that tables lie on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from deltasql.base.patterns import GAP, OPEN_TEXT

REDACTED = "*********(redacted)"
"""Spark's replacement for a secret."""

_SECRET = re.compile(
    r"secret|passw(or)?d|passphrase|pwd|token|credential|(access|account|api|private|encryption|master).?key"
    r"|connection.?string|authorization(?![.\w])|(?<![a-z])sas(?![a-z])",
    re.IGNORECASE,
)
_IN_URL = re.compile(
    r"(?<=://)[^/\s'\"`@:]*:[^/\s'\"`@]+(?=@)"
    r"|(?:(?<=[?&]sig=)|(?<=[?&-]signature=)|(?<=-security-token=))[^&\s'\"`]+"
    r"|(?<=accountkey=)[^;\s'\"`]+|(?<=\bbearer )[\w.~+/=-]{8,}",
    re.IGNORECASE,
)
"""Secrets recognized without a name: names and passwords before a host, signatures, account keys, bearer tokens."""

# No part of a text is read more than once or twice by these: they see every statement, and every message.
_GAPS = re.compile(rf"{GAP}*")
_SETTING = re.compile(
    rf"(?:EXPLAIN\s+(?:\w+\s+)?)?SET\s+(?P<name>{OPEN_TEXT}|[^\s=;'\"`]+)(?:\s*=|\s)(?P<value>(?:{OPEN_TEXT}|[^;'\"`])*)",
    re.IGNORECASE | re.DOTALL,
)
_OPTIONS = re.compile(
    r"\b(?:(?:FORMAT_|COPY_)?OPTIONS|(?:TBL|DB)?PROPERTIES|CREDENTIAL|ENCRYPTION|WITH)\s*(?P<list>\()", re.IGNORECASE
)
_PAIR = re.compile(
    rf"(?P<name>{OPEN_TEXT}|[\w.-]+)\s*(?:=\s*|\s)(?P<value>{OPEN_TEXT}|[^\s,()='\"`]+)"
    rf"|(?P<end>\))|{OPEN_TEXT}|[\w.-]+|\s+|.",
    re.DOTALL,
)
_ARGUMENT = re.compile(rf"(?<!\w)(?P<name>\w+)\s*=>\s*(?P<value>{OPEN_TEXT})", re.DOTALL)

_concealed: set[str] = set()
"""Secrets of this process that no text shows: tokens, and keys that a catalog lends."""
_SHORTEST = 8
"""Letters of a secret that is concealed; a shorter one would hide words of any text."""


def conceal(secret: str) -> None:
    """Has a secret removed from all texts from now on: messages, statements and their results' details."""
    if len(secret) >= _SHORTEST:
        _concealed.add(secret)


def reveal(secret: str) -> None:
    """Ends that: the secret has expired."""
    _concealed.discard(secret)


def without_concealed(text: str) -> str:
    """`text` without the secrets that are concealed."""
    for secret in tuple(_concealed):
        text = text.replace(secret, REDACTED)
    return text


def is_secret(name: str) -> bool:
    """Whether the value of a setting, an option or a property of this name is a secret."""
    return _SECRET.search(name) is not None


def shown_value(name: str, value: str) -> str:
    """The value of a setting or a property for display and storage, redacted if it is secret."""
    return REDACTED if is_secret(name) else _IN_URL.sub(REDACTED, value)


def shown_pairs(pairs: Mapping[str, Any]) -> dict[str, Any]:
    """Settings or properties for display and storage, secrets redacted; values that are no texts stay."""
    return {name: shown_value(name, value) if isinstance(value, str) else value for name, value in pairs.items()}


def has_secret(sql: str) -> bool:
    """Whether SQL text has a secret: of a setting, an option, a property or an argument, or a password in a URL."""
    return next(_secrets(sql), None) is not None


def without_secrets(sql: str) -> str:
    """`sql` with a star in place of each character of a secret; offsets stay the same."""
    pieces, at = list[str](), 0
    for start, end in sorted(_secrets(sql)):
        if end > at:
            pieces += (sql[at:start], re.sub(r"[^\n]", "*", sql[max(start, at) : end]))
            at = end
    return "".join((*pieces, sql[at:]))


def without_secrets_of(sql: str, text: str) -> str:
    """`text`, which is about the statement `sql`, with the secrets of the statement redacted."""
    for secret in {sql[start:end] for start, end in _secrets(sql)}:
        text = text.replace(secret, REDACTED) if len(secret) > 1 else text
    return text


def _secrets(sql: str) -> Iterator[tuple[int, int]]:
    """The spans of the secrets, without the quotes around them."""
    for match in (*_settings(sql), *_options(sql), *_ARGUMENT.finditer(sql)):
        # CREDENTIAL c in a list names a credential, and has none.
        if match["name"] and is_secret(match["name"]) and match["name"].upper() != "CREDENTIAL":
            start, end = match.span("value")
            while start < end and sql[start].isspace():
                start += 1
            if sql[start : start + 1] in {"'", '"', "`"} and end - start > 1 and sql[end - 1] == sql[start]:
                start, end = start + 1, end - 1
            if start < end:
                yield start, end
    yield from (match.span() for match in _IN_URL.finditer(sql))
    yield from _occurrences(sql)


def _occurrences(sql: str) -> Iterator[tuple[int, int]]:
    """The spans of concealed secrets."""
    for secret in tuple(_concealed):
        yield from (match.span() for match in re.finditer(re.escape(secret), sql))


def _settings(sql: str) -> Iterator[re.Match[str]]:
    """SET at the beginning of `sql` and behind semicolons."""
    at = 0
    while True:
        gap = _GAPS.match(sql, at)
        assert gap is not None
        match = _SETTING.match(sql, gap.end())
        if match is not None:
            yield match
        at = sql.find(";", (match or gap).end()) + 1
        if not at:
            return


def _options(sql: str) -> Iterator[re.Match[str]]:
    """The pairs of a name and a value in the lists of options and properties."""
    at = 0
    while (opening := _OPTIONS.search(sql, at)) is not None:
        at = opening.end()
        while (match := _PAIR.match(sql, at)) is not None and match["end"] is None:
            if match["name"] is not None:
                yield match
            at = match.end()
