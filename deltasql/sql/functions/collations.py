"""Names of collations as Spark spells them. Source: Spark's collations, of bytes or of ICU."""

from __future__ import annotations

import re

from deltasql.errors.suggestion import did_you_mean
from deltasql.errors.syntax import CollationNameError

_COMMON = ("UTF8_BINARY", "UTF8_LCASE", "UNICODE", "UNICODE_CI", "UNICODE_AI", "UNICODE_CI_AI", "en", "en_CI", "de_CI")
_OF_BYTES = re.compile(r"UTF8_(?:BINARY|LCASE)(?:_L?TRIM|_RTRIM)?")
_LOCALE = re.compile(r"([a-z]{2,3})(_[a-z]{4})?(_[a-z]{3})?", re.IGNORECASE | re.ASCII)
"""Language, script and country."""
_MARKS = {"CS": 0, "CI": 0, "AS": 1, "AI": 1, "LTRIM": 2, "RTRIM": 2, "TRIM": 2}
"""The words behind a locale, each with its place in the name that Spark spells."""
_DEFAULTS = ("CS", "AS")


def spelled_collation(name: str) -> str:
    """The collation `name`, which may be written in any case, as Spark spells it. Raises CollationNameError."""
    upper = name.upper()
    if _OF_BYTES.fullmatch(upper):
        return upper
    words = name.split("_")
    marks: dict[int, str] = {}
    while len(words) > 1 and (mark := words[-1].upper()) in _MARKS and _MARKS[mark] not in marks:
        marks[_MARKS[mark]] = mark
        words.pop()
    locale = _spelled_locale("_".join(words))
    if locale is None:
        raise CollationNameError(name, did_you_mean(name, _COMMON))
    return "_".join([locale, *(marks[place] for place in sorted(marks) if marks[place] not in _DEFAULTS)])


def _spelled_locale(text: str) -> str | None:
    if text.upper() == "UNICODE":
        return "UNICODE"
    match = _LOCALE.fullmatch(text)
    if match is None or text.upper() in _MARKS:
        return None
    language, script, country = match.groups(default="")
    return language.lower() + script.title() + country.upper()
