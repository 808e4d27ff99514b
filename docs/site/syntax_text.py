"""Syntax as text: `[x]` is optional, `{a | b}` a choice, `x, …` a list, `x …` a repetition."""

from __future__ import annotations

from collections.abc import Iterator

from docs.site.grammar_rules import Choice, Item, Maybe, Name, Repeat, Sequence, Word

WIDTH = 76


def text(item: Item) -> str:
    """One line, however long."""
    match item:
        case Word(word):
            return word
        case Name(label):
            return label
        case Sequence(items):
            return _tight(" ".join(filter(None, map(text, items))))
        case Choice(items):
            return "{" + " | ".join(map(text, items)) + "}"
        case Maybe(Choice(items)):
            return "[" + " | ".join(map(text, items)) + "]"
        case Maybe(Repeat(Choice(items), "")):
            return "[" + " | ".join(map(text, items)) + "] …"
        case Maybe(inner):
            return f"[{text(inner)}]"
        case Repeat(inner, separator):
            return f"{text(inner)}{separator} …"


def _tight(line: str) -> str:
    return line.replace("( ", "(").replace(" )", ")").replace(" ,", ",")


def lines(item: Item) -> str:
    """The text, broken between its parts where it is wider than WIDTH."""
    if isinstance(item, Choice):
        return "\n".join(lines(part) for part in item.items)
    found = [""]
    for word in _chunks(item):
        if found[-1].strip() and len(found[-1]) + len(word) >= WIDTH:
            found.append("  ")
        found[-1] += word if not found[-1].strip() else f" {word}"
    return "\n".join(found)


def _chunks(item: Item) -> Iterator[str]:
    """Parts that stay on one line: a parenthesis with its content is one; a long choice has a line for each way."""
    depth, held = 0, ""
    for part in item.items if isinstance(item, Sequence) else (item,):
        if isinstance(part, Word) and part.text in "()":
            depth += 1 if part.text == "(" else -1
        held = _tight(f"{held} {_broken(part)}".strip())
        if not depth:
            yield held
            held = ""


def _broken(item: Item) -> str:
    line = text(item)
    match item:
        case Choice(items) if len(line) > WIDTH:
            return "{ " + "\n  | ".join(map(text, items)) + " }"
        case Maybe(Choice(items)) if len(line) > WIDTH:
            return "[ " + "\n  | ".join(map(text, items)) + " ]"
        case Maybe(Repeat(Choice(items))) if len(line) > WIDTH:
            return "[ " + "\n  | ".join(map(text, items)) + " ] …"
        case _:
            return line
