"""Railroad diagrams of the grammar, as SVG inside of a page, whose style sheet gives the colours of both themes."""

from __future__ import annotations

import io
from html import escape

import railroad as rr

from docs.site.grammar_rules import Choice, Item, Maybe, Name, Repeat, Sequence, Word

WIDEST = 78
"""Characters of one line of a diagram, about: a longer sequence goes on in a further line."""


def svgs(item: Item, description: str) -> str:
    """The diagram of an item, or one for each of its alternatives where these are long.

    `description` is read out by screen readers.
    """
    if isinstance(item, Choice) and any(_width(part) > WIDEST for part in item.items):
        return "".join(_svg(part, f"{description} ({number})") for number, part in enumerate(item.items, 1))
    return _svg(item, description)


def _svg(item: Item, description: str) -> str:
    rows = _rows(item)
    whole = rr.Stack(*rows) if len(rows) > 1 else rows[0]
    diagram = rr.Diagram(rr.Start("simple"), whole, rr.End("simple"))
    out = io.StringIO()
    diagram.writeSvg(out.write)
    head = f'<svg role="img" aria-label="{escape(description)}"'
    return out.getvalue().replace("<svg", head, 1).replace("\n", " ")


def _rows(item: Item) -> list[rr.DiagramItem]:
    if not isinstance(item, Sequence):
        return [_item(item)]
    rows: list[list[Item]] = [[]]
    width = 0
    for part in item.items:
        size = _width(part)
        if rows[-1] and width + size > WIDEST:
            rows.append([])
            width = 0
        rows[-1].append(part)
        width += size
    return [_row(row) for row in rows]


def _row(items: list[Item]) -> rr.DiagramItem:
    """Keywords that follow each other share a box."""
    found: list[rr.DiagramItem] = []
    words: list[str] = []
    for item in items:
        if isinstance(item, Word):
            words.append(item.text)
            continue
        if words:
            found.append(rr.Terminal(" ".join(words)))
        words = []
        found.append(_item(item))
    if words:
        found.append(rr.Terminal(" ".join(words)))
    return found[0] if len(found) == 1 else rr.Sequence(*found)


def _item(item: Item) -> rr.DiagramItem:
    match item:
        case Word(text):
            return rr.Terminal(text)
        case Name(label):
            return rr.NonTerminal(label)
        case Sequence(items):
            # A stack of rows inside of a choice would lie on top of what follows it.
            return _row(list(items)) if items else rr.Skip()
        case Choice(items):
            return rr.Choice(0, *map(_item, items))
        case Maybe(Repeat(inner, separator)):
            return rr.ZeroOrMore(_item(inner), _between(separator))
        case Maybe(Choice(items)):
            return rr.Choice(0, rr.Skip(), *map(_item, items))
        case Maybe(inner):
            return rr.Optional(_item(inner))
        case Repeat(inner, separator):
            return rr.OneOrMore(_item(inner), _between(separator))


def _between(separator: str) -> rr.DiagramItem | None:
    return rr.Terminal(separator) if separator else None


def _width(item: Item) -> int:
    match item:
        case Word(text) | Name(text):
            return len(text) + 4
        case Sequence(items):
            return sum(map(_width, items))
        case Choice(items):
            return max(map(_width, items)) + 6
        case Maybe(inner) | Repeat(inner):
            return _width(inner) + 6
