"""An entry of a registry: a name that people give a text to, and readers that turn the text into a typed value.

Table properties, session settings and the options of DataFrames are such entries. Each is declared once, in the
registry of its kind; checks, typed reads and the page docs/settings.md follow from the declaration.

A reader takes the text of a property, setting or option and gives its value, or raises ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from deltasql.base.patterns import QUOTED_NAME

T = TypeVar("T")
E = TypeVar("E", bound="RegistryEntry[Any]")
F = TypeVar("F", bound="RegistryEntry[Any]")


@dataclass(frozen=True, slots=True)
class RegistryEntry(Generic[T]):
    """One name that can be given a text.

    `read` gives the typed value of a text, or raises ValueError; `legal` says which texts it takes. `default` is the
    text that counts where none is given; None: the value is None then. `documentation` is one sentence, `applies` a few
    words on which statements, files or formats look at it.
    """

    name: str
    read: Callable[[str], T]
    legal: str
    default: str | None
    documentation: str
    applies: str

    def __str__(self) -> str:
        """The name, as messages have it."""
        return self.name

    def value(self, text: str | None) -> T:
        """The value of `text`, or of the default where `text` is None. Raises what `refusal` makes of a wrong text."""
        value = self.default if text is None else text
        if value is None:
            # An entry without a default is declared with a type that has None.
            return cast("T", None)
        try:
            return self.read(value)
        except ValueError as error:
            raise self.refusal(value) from error

    def refusal(self, text: str) -> Exception:
        """The error that says that this entry cannot be `text`."""
        return ValueError(f"{self.name} cannot be {text!r}: legal is {self.legal}")


class Registry(Mapping[str, E], Generic[E]):
    """The entries of one kind by name, in the order in which they are declared."""

    def __init__(self) -> None:
        self._entries: dict[str, E] = {}
        self._folded: dict[str, E] = {}

    def add(self, entry: F) -> F:
        """Takes `entry` in and gives it back, so that a declaration is one assignment."""
        assert entry.name.lower() not in self._folded, f"{entry.name} is declared twice"
        registered = cast("E", entry)
        self._entries[entry.name] = self._folded[entry.name.lower()] = registered
        return entry

    def find(self, name: str) -> E | None:
        """The entry called `name`, whatever its case; None if there is none."""
        return self._folded.get(name.lower())

    def __getitem__(self, name: str) -> E:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


_UNIT_MICROS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
CODECS = ("zstd", "snappy", "gzip", "lz4", "brotli", "none", "uncompressed")
"""The names that properties and options have for the compression of Parquet files."""

_TERM = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]+)")
_COLUMN_TOKEN = re.compile(rf"\s*({QUOTED_NAME}|[^`.,\s][^`.,]*)\s*([.,]|$)")


def boolean(text: str) -> bool:
    """`true` or `false`, in any case."""
    if text.lower() not in {"true", "false"}:
        raise ValueError(text)
    return text.lower() == "true"


def compaction(text: str) -> bool:
    """Whether to put small files together: `true`, `1`, and Databricks' `auto` and `legacy`; or `false`, `0`."""
    return one_of("true", "false", "auto", "legacy", "1", "0")(text.strip()) not in {"false", "0"}


def integer(least: int) -> Callable[[str], int]:
    """A reader of integers that are at least `least`."""

    def read(text: str) -> int:
        value = int(text)
        if value < least:
            raise ValueError(text)
        return value

    return read


def count(least: int = 0) -> Callable[[str], int]:
    """A reader of whole numbers in decimal digits alone that are at least `least`; blanks around them do not count."""

    def read(text: str) -> int:
        digits = text.strip()
        if not digits.isdecimal() or int(digits) < least:
            raise ValueError(text)
        return int(digits)

    return read


def one_of(*words: str) -> Callable[[str], str]:
    """A reader of one of `words`, in any case; gives it as spelled in `words`."""
    by_case = {word.lower(): word for word in words}

    def read(text: str) -> str:
        if text.lower() not in by_case:
            raise ValueError(text)
        return by_case[text.lower()]

    return read


def some_of(*words: str) -> Callable[[str], tuple[str, ...]]:
    """A reader of a comma list of `words`, in any case; the empty text is the empty list."""
    read_one = one_of(*words)

    def read(text: str) -> tuple[str, ...]:
        return tuple(read_one(part.strip()) for part in text.split(",")) if text.strip() else ()

    return read


def any_text(text: str) -> str:
    """`text` itself."""
    return text


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


def interval_ms(text: str) -> int:
    """Milliseconds of an interval such as `interval 7 days`, `1 day 12 hours` or `2 weeks`.

    Months and years have no fixed length and are refused, as are negative intervals.
    """
    rest = text.strip().lower()
    rest = rest.removeprefix("interval")
    micros, at = 0.0, 0
    while at < len(rest.rstrip()):
        term = _TERM.match(rest, at)
        if term is None:
            raise ValueError(text)
        unit = _UNIT_MICROS.get(term[2].removesuffix("s"))
        if unit is None:
            raise ValueError(text)
        micros, at = micros + float(term[1]) * unit, term.end()
    if at == 0 or micros < 0:
        raise ValueError(text)
    return int(micros // 1000)


def byte_size(text: str) -> int:
    """Bytes of a size such as `104857600`, `100mb` or `1g`."""
    match = re.fullmatch(r"\s*(\d+)\s*([kmgt]?)i?b?\s*", text.lower())
    if match is None or int(match[1]) == 0:
        raise ValueError(text)
    return int(match[1]) << 10 * " kmgt".index(match[2] or " ")


def column_paths(text: str) -> tuple[tuple[str, ...], ...]:
    """The column paths of a comma list such as ``a, b.c, `x y` ``; the empty text is the empty list."""
    paths: list[tuple[str, ...]] = []
    path: list[str] = []
    at, end = 0, ""
    while at < len(text.rstrip()) or end:
        token = _COLUMN_TOKEN.match(text, at)
        if token is None:
            raise ValueError(text)
        name, end, at = token[1], token[2], token.end()
        path.append(name[1:-1].replace("``", "`") if name.startswith("`") else name.strip())
        if end != ".":
            paths.append(tuple(path))
            path = []
    return tuple(paths)
