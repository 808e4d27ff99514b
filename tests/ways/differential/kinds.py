"""Types of columns at any depth, and SQL of random values of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from .values import LOOSE, VALUES


@dataclass(frozen=True)
class Leaf:
    """A type without parts, by its SQL. `filled`: no value is an empty text, which a partition stores as NULL."""

    sql: str
    filled: bool = False

    @property
    def family(self) -> str:
        """The name without parameters: CHAR of CHAR(3)."""
        return self.sql.partition("(")[0]

    @property
    def is_text(self) -> bool:
        return self.family in {"STRING", "CHAR", "VARCHAR"}

    @property
    def is_number(self) -> bool:
        return self.family in {"TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL"}

    @property
    def is_moment(self) -> bool:
        return self.family in {"DATE", "TIMESTAMP", "TIMESTAMP_NTZ"}


@dataclass(frozen=True)
class Record:
    """A struct. Fields are pairs of name and type."""

    fields: tuple[tuple[str, Kind], ...]

    @property
    def sql(self) -> str:
        return f"STRUCT<{', '.join(f'{quoted(name)}: {kind.sql}' for name, kind in self.fields)}>"


@dataclass(frozen=True)
class Items:
    """An array."""

    item: Kind

    @property
    def sql(self) -> str:
        return f"ARRAY<{self.item.sql}>"


@dataclass(frozen=True)
class Pairs:
    """A map."""

    key: Kind
    value: Kind

    @property
    def sql(self) -> str:
        return f"MAP<{self.key.sql}, {self.value.sql}>"


Kind = Leaf | Record | Items | Pairs

LEAVES = tuple(
    map(
        Leaf,
        [
            "TINYINT",
            "SMALLINT",
            "INT",
            "BIGINT",
            "FLOAT",
            "DOUBLE",
            "DECIMAL(6,2)",
            "STRING",
            "BINARY",
            "BOOLEAN",
            "DATE",
            "TIMESTAMP",
            "TIMESTAMP_NTZ",
            "CHAR(3)",
            "VARCHAR(4)",
        ],
    )
)
_NAMES = ("a", "b", "Cc", "d e", "x.y", "select")


def quoted(name: str) -> str:
    return name if name.isidentifier() and name != "select" else f"`{name}`"


def kind(rng: Random, depth: int, leaves_of: Sequence[Leaf] = LEAVES) -> Kind:
    """A type with at most `depth` levels of structs, arrays and maps, that plain Spark can read."""
    return _readable(lambda: _kind(rng, depth, leaves_of))


def _readable(draw: Callable[[], Kind]) -> Kind:
    while not is_readable(drawn := draw()):
        pass
    return drawn


def is_readable(of: Kind) -> bool:
    """Spark keeps CHAR and VARCHAR as the text of the whole type, in which it quotes no name."""
    names = [name for name, _ in _fields(of)]
    limited = any(inner.family in {"CHAR", "VARCHAR"} for _, inner in leaves("", of))
    return not limited or all(quoted(name) == name for name in names)


def _fields(of: Kind) -> Iterator[tuple[str, Kind]]:
    match of:
        case Record(fields):
            yield from fields
            for _, inner in fields:
                yield from _fields(inner)
        case Items(item):
            yield from _fields(item)
        case Pairs(_, item):
            yield from _fields(item)


def _kind(rng: Random, depth: int, leaves_of: Sequence[Leaf]) -> Kind:
    shape = rng.choice(["leaf", "leaf", "record", "record", "items", "pairs"]) if depth else "leaf"
    match shape:
        case "record":
            names = rng.sample(_NAMES, rng.randint(1, 3))
            return Record(tuple((name, _kind(rng, depth - 1, leaves_of)) for name in names))
        case "items":
            return Items(_kind(rng, depth - 1, leaves_of))
        case "pairs":
            return Pairs(Leaf(rng.choice(["INT", "STRING"])), _kind(rng, depth - 1, leaves_of))
    return rng.choice(leaves_of)


def literal(rng: Random, of: Leaf) -> str:
    """A constant of a leaf type that every assignment takes."""
    return rng.choice([text for text in VALUES[of.family] if text != "''" or not of.filled])


def value(rng: Random, of: Kind, *, nulls: float = 0.15) -> str:
    """SQL of a value that has the type exactly, but for texts, which are plain strings."""
    if rng.random() < nulls:
        return f"CAST(NULL AS {plain(of).sql})"
    match of:
        case Leaf():
            return f"CAST({literal(rng, of)} AS {plain(of).sql})"
        case Record(fields):
            parts = (f"'{name}', {value(rng, inner)}" for name, inner in fields)
            return f"named_struct({', '.join(parts)})"
        case Items(item):
            values = [value(rng, item) for _ in range(rng.randint(0, 3))]
            return f"CAST(array({', '.join(values)}) AS {plain(of).sql})"
        case Pairs(key, item):
            keys = rng.sample(VALUES[key.family][:3], rng.randint(0, 2)) if isinstance(key, Leaf) else []
            entries = (f"CAST({name} AS {plain(key).sql}), {value(rng, item)}" for name in keys)
            return f"CAST(map({', '.join(entries)}) AS {plain(of).sql})"


def loose(rng: Random, of: Kind) -> str:
    """SQL of a value that an assignment must bring to the type, and that may not fit: the types differ in leaves."""
    match of:
        case Leaf():
            return rng.choice(LOOSE[of.family] or VALUES[of.family])
        case Record(fields):
            parts = (f"'{name}', {loose(rng, inner)}" for name, inner in fields)
            return f"named_struct({', '.join(parts)})"
        case Items(item):
            return f"array({loose(rng, item)})"
        case Pairs(key, item):
            return f"map({value(rng, key, nulls=0)}, {loose(rng, item)})"


def plain(of: Kind) -> Kind:
    """The type with STRING for CHAR and VARCHAR, which no expression may have."""
    match of:
        case Leaf():
            return Leaf("STRING") if of.is_text else of
        case Record(fields):
            return Record(tuple((name, plain(inner)) for name, inner in fields))
        case Items(item):
            return Items(plain(item))
        case Pairs(key, item):
            return Pairs(plain(key), plain(item))


def reordered(rng: Random, of: Kind) -> Kind:
    """The type with the fields of its structs in another order, at every depth."""
    match of:
        case Record(fields):
            return Record(tuple((name, reordered(rng, inner)) for name, inner in rng.sample(fields, len(fields))))
        case Items(item):
            return Items(reordered(rng, item))
        case Pairs(key, item):
            return Pairs(key, reordered(rng, item))
    return of


def grown(rng: Random, of: Kind, name: str, leaves_of: Sequence[Leaf] = LEAVES) -> Kind:
    """The type with one more field, `name`, at the end of one of its structs; the same where it has none."""
    return _readable(lambda: _grown(rng, of, name, leaves_of))


def _grown(rng: Random, of: Kind, name: str, leaves_of: Sequence[Leaf]) -> Kind:
    match of:
        case Record(fields):
            if rng.random() < 0.5:
                return Record((*fields, (name, rng.choice(leaves_of))))
            index = rng.randrange(len(fields))
            changed = [(n, _grown(rng, k, name, leaves_of) if i == index else k) for i, (n, k) in enumerate(fields)]
            return Record(tuple(changed))
        case Items(item):
            return Items(_grown(rng, item, name, leaves_of))
        case Pairs(key, item):
            return Pairs(key, _grown(rng, item, name, leaves_of))
    return of


def by_name(sql: str, source: Kind, target: Kind, numbers: Iterator[int] | None = None) -> str:
    """SQL of the value with the fields of `target`: those that it has by name, NULL for the others."""
    numbers = numbers or count()
    if plain(source) == plain(target):
        return sql
    match source, target:
        case Record(), Record(fields):
            have = dict(source.fields)
            parts = []
            for name, inner in fields:
                given = f"{sql}.{quoted(name)}"
                found = by_name(given, have[name], inner, numbers) if name in have else null(inner)
                parts.append(f"'{name}', {found}")
            return f"CASE WHEN {sql} IS NULL THEN {null(target)} ELSE named_struct({', '.join(parts)}) END"
        case Items(item), Items(wanted):
            each = f"x{next(numbers)}"
            return f"transform({sql}, {each} -> {by_name(each, item, wanted, numbers)})"
        case Pairs(_, item), Pairs(_, wanted):
            key, each = f"k{next(numbers)}", f"x{next(numbers)}"
            return f"transform_values({sql}, ({key}, {each}) -> {by_name(each, item, wanted, numbers)})"
    return sql


def null(of: Kind) -> str:
    return f"CAST(NULL AS {plain(of).sql})"


def leaves(path: str, of: Kind) -> Iterator[tuple[str, Leaf]]:
    """What can be read out of a column of this type: SQL and leaf type of each, through structs, arrays and maps."""
    match of:
        case Leaf():
            yield path, of
        case Record(fields):
            for name, inner in fields:
                yield from leaves(f"{path}.{quoted(name)}", inner)
        case Items(item):
            yield f"size({path})", Leaf("INT")
            yield from leaves(f"get({path}, 0)", item)
        case Pairs(key, item):
            yield f"size({path})", Leaf("INT")
            first = "'x'" if plain(key) == Leaf("STRING") else "1"
            yield from leaves(f"try_element_at({path}, {first})", item)
