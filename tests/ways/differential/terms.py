"""Random expressions that never fail for a value: what fails depends on which rows an engine looks at."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from .kinds import Kind, Leaf, leaves, literal, plain
from .values import OTHER_TYPES

Column = tuple[str, Kind]
"""SQL of a column, and its type."""


def predicate(rng: Random, columns: Sequence[Column], depth: int = 2) -> str:
    """A condition over columns."""
    if depth and rng.random() < 0.35:
        left, right = (predicate(rng, columns, depth - 1) for _ in range(2))
        return rng.choice([f"({left} AND {right})", f"({left} OR {right})", f"NOT ({left})"])
    path, kind = rng.choice([found for name, of in columns for found in leaves(name, of)])
    if rng.random() < 0.15:
        return f"{path} IS {rng.choice(['', 'NOT '])}NULL"
    if kind == Leaf("BOOLEAN") and rng.random() < 0.5:
        return path
    if kind.family in OTHER_TYPES and rng.random() < 0.35:
        return _across(rng, columns, path, kind)
    constants = [literal(rng, kind) for _ in range(3)]
    return rng.choice(
        [
            f"{path} = {constants[0]}",
            f"{constants[0]} = {path}",
            f"{path} <=> {constants[0]}",
            f"{path} <> {constants[0]}",
            f"{path} {rng.choice(['<', '<=', '>', '>='])} {constants[0]}",
            f"{path} IN ({', '.join(constants)})",
            f"{path} NOT IN ({', '.join(constants[:2])})",
            f"{path} BETWEEN {constants[0]} AND {constants[1]}",
            *_same(rng, columns, path, kind),
        ]
    )


def _across(rng: Random, columns: Sequence[Column], path: str, kind: Leaf) -> str:
    """A comparison with constants or a column of types that need not be that of `path`."""
    given = rng.sample(OTHER_TYPES[kind.family], 2)
    related = [
        other
        for name, of in columns
        for other, found in leaves(name, of)
        if (found.is_number and kind.is_number) or (found.is_moment and kind.is_moment)
    ]
    compare = rng.choice(["=", "<=>", "<>", "<", "<=", ">", ">="])
    return rng.choice(
        [
            f"{path} {compare} {given[0]}",
            f"{given[0]} {compare} {path}",
            f"{path} {compare} {rng.choice([*related, path])}",
            f"{path} IN ({', '.join(given)})",
            f"{path} BETWEEN {given[0]} AND {given[1]}",
        ]
    )


def _same(rng: Random, columns: Sequence[Column], path: str, kind: Leaf) -> list[str]:
    """A comparison with another column of the type, and LIKE for texts."""
    others = [other for name, of in columns for other, found in leaves(name, of) if found.family == kind.family]
    pattern = rng.choice(["'x%'", "'_'", "'%b%'"])
    return [f"{path} = {rng.choice(others)}", *([f"{path} LIKE {pattern}"] if kind.is_text else [])]


def term(rng: Random, columns: Sequence[Column], of: Leaf) -> str:
    """An expression of the type, a plain STRING for all texts: of columns where some have it."""
    found = [path for name, kind in columns for path, leaf in leaves(name, kind) if plain(leaf) == plain(of)]
    if not found or of.filled or rng.random() < 0.2:
        return f"CAST({literal(rng, of)} AS {plain(of).sql})"
    path = rng.choice(found)
    other = rng.choice(found)
    choices = [path, f"coalesce({path}, {literal(rng, of)})", f"CASE WHEN {predicate(rng, columns, 0)} THEN {path} END"]
    if plain(of) == Leaf("STRING"):
        choices += [f"upper({path})", f"concat({path}, '|')", f"concat({path}, {other})", f"nullif({path}, 'x')"]
    return rng.choice([*choices, *_converted(rng, columns, of)])


def _converted(rng: Random, columns: Sequence[Column], of: Leaf) -> list[str]:
    """An expression of the type that is made of another column, where there is one."""
    found = [(path, leaf) for name, kind in columns for path, leaf in leaves(name, kind)]
    if of.is_number:
        paths = [path for path, leaf in found if leaf.is_number or leaf.is_text]
        return [f"try_cast({rng.choice(paths)} AS {of.sql})"] if paths else []
    paths = [path for path, leaf in found if leaf.is_moment and of.is_moment]
    return [f"CAST({rng.choice(paths)} AS {of.sql})"] if paths else []


def shown(rng: Random, columns: Sequence[Column]) -> str:
    """Any expression for a SELECT list."""
    name, kind = rng.choice(columns)
    path, found = rng.choice(list(leaves(name, kind)))
    texts = [f"length({path})", f"concat('<', {path}, '>')", f"{path} = {literal(rng, found)}"] if found.is_text else []
    moments = [f"CAST({path} AS {other})" for other in ("STRING", "DATE", "TIMESTAMP")] + [f"hour({path})"]
    times = moments if found.is_moment else []
    numbers = [f"try_cast({path} AS TINYINT)", f"try_add({path}, 1)"] if found.is_number else []
    return rng.choice([name, path, f"{path} IS NULL", f"to_json(struct({name}))", *texts, *times, *numbers])
