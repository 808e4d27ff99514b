"""Which names stand for secrets, and texts without the secrets in them. Nothing else decides that.

Source of the names: Spark's `spark.redaction.regex`, and the keys of the file systems that tables lie on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from deltasql.sql.patterns import GAP, QUOTED_NAME, STRING

REDACTED = "*********(redacted)"
"""What Spark shows in place of a secret."""

_SECRET = re.compile(
    r"secret|passw(or)?d|passphrase|token|credential|(access|account|api|private|encryption|master).?key"
    r"|(?<![a-z])sas(?![a-z])",
    re.IGNORECASE,
)
_USER_INFO = re.compile(r"(?<=://)[^/\s'\"`@:]*:[^/\s'\"`@]+(?=@)")

_TEXT = rf"{STRING}|{QUOTED_NAME}"
_SETTING = re.compile(
    rf"(?:^|;){GAP}*(?:EXPLAIN\s+(?:\w+\s+)?)?SET\s+(?P<name>{_TEXT}|[^\s=;'\"`]+)(?:\s*=|\s)(?P<value>(?:{_TEXT}|[^;'\"`])*)",
    re.IGNORECASE | re.DOTALL,
)
_OPTIONS = re.compile(
    r"\b(?:(?:FORMAT_|COPY_)?OPTIONS|(?:TBL|DB)?PROPERTIES|CREDENTIAL|ENCRYPTION)\s*(?P<list>\()", re.IGNORECASE
)
_PAIR = re.compile(
    rf"(?P<name>{_TEXT}|[\w.-]+)\s*(?:=\s*|\s)(?P<value>{_TEXT}|[^\s,()='\"`]+)|(?P<end>\))|{_TEXT}|.", re.DOTALL
)
_ARGUMENT = re.compile(rf"(?<!\w)(?P<name>\w+)\s*=>\s*(?P<value>{_TEXT})", re.DOTALL)


def is_secret(name: str) -> bool:
    """Whether the value of a setting, an option or a property of this name is to be kept from sight."""
    return _SECRET.search(name) is not None


def shown_value(name: str, value: str) -> str:
    """The value of a setting or a property as it may be shown and kept."""
    return REDACTED if is_secret(name) else _USER_INFO.sub(REDACTED, value)


def shown_pairs(pairs: Mapping[str, Any]) -> dict[str, Any]:
    """Settings or properties as they may be shown and kept; what is no text stays."""
    return {name: shown_value(name, value) if isinstance(value, str) else value for name, value in pairs.items()}


def has_secret(sql: str) -> bool:
    """Whether a text of SQL gives a secret: a setting, an option, a property or an argument, or a password in a URL."""
    return next(_secrets(sql), None) is not None


def without_secrets(sql: str) -> str:
    """`sql` with a star in place of each character of a secret: every other one stays where it was."""
    for start, end in list(_secrets(sql)):
        sql = sql[:start] + re.sub(r"[^\n]", "*", sql[start:end]) + sql[end:]
    return sql


def without_secrets_of(sql: str, text: str) -> str:
    """`text`, which tells of the statement `sql`, without the secrets that stand in that."""
    for secret in {sql[start:end] for start, end in _secrets(sql)}:
        text = text.replace(secret, REDACTED) if len(secret) > 1 else text
    return text


def _secrets(sql: str) -> Iterator[tuple[int, int]]:
    """Where the secrets stand, without the quotes around them."""
    for match in (*_SETTING.finditer(sql), *_options(sql), *_ARGUMENT.finditer(sql)):
        if match["name"] and is_secret(match["name"]):
            start, end = match.span("value")
            while start < end and sql[start].isspace():
                start += 1
            if sql[start : start + 1] in {"'", '"', "`"} and end - start > 1 and sql[end - 1] == sql[start]:
                start, end = start + 1, end - 1
            if start < end:
                yield start, end
    yield from (match.span() for match in _USER_INFO.finditer(sql))


def _options(sql: str) -> Iterator[re.Match[str]]:
    """The pairs of a name and a value in the lists of options and properties."""
    for opening in _OPTIONS.finditer(sql):
        at = opening.end()
        while (match := _PAIR.match(sql, at)) is not None and match["end"] is None:
            if match["name"] is not None:
                yield match
            at = match.end()
