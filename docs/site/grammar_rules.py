"""The rules of grammar/*.lark as trees for readers: the rule of a short clause replaces its name.

Lark's grammar of grammars, which comes with lark, reads the files; nothing depends on how lark stores its rules.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree

FOLDER = Path(__file__).parents[2] / "grammar"


@dataclass(frozen=True)
class Word:
    """A keyword, or punctuation."""

    text: str


@dataclass(frozen=True)
class Name:
    """A text that the user chooses, or another rule, whose diagram stands somewhere else if `rule` is not empty."""

    label: str
    rule: str = ""


@dataclass(frozen=True)
class Sequence:
    """All items in their order."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Choice:
    """One of the items."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Maybe:
    """The item, or nothing."""

    item: Item


@dataclass(frozen=True)
class Repeat:
    """The item once or more often, with `separator` between two; not at all too, inside of a Maybe."""

    item: Item
    separator: str = ""


Item = Word | Name | Sequence | Choice | Maybe | Repeat
NOTHING = Sequence(())

LABELS = {
    "ATOMIC_BLOCK": "statements",
    "PROCEDURE_RUN": "(parameter, …) characteristics AS script",
    "DOLLAR_RUN": "$$ yaml $$",
    "CTES_RUN": "WITH name AS (query), …",
    "EXPRESSION_RUN": "expression",
    "FROM_RUN": "FROM relation",
    "INSERT_ALIAS": "[AS] alias",
    "INTEGER": "integer",
    "NUMBER": "number",
    "OTHER_KIND": "other kind",
    "QUERY_RUN": "query",
    "REST_RUN": "…",
    "SETTING_KEY": "key",
    "SETTING_VALUE": "value",
    "STRING": "'text'",
    "SUBQUERY_RUN": "(…)",
    "IDENTIFIER": "name",
    "column_path": "column",
    "feature_name": "feature",
    "file_format": "format",
    "hours": "n",
    "integer": "integer",
    "name": "name",
    "property_key": "key",
    "property_value": "value",
    "statement": "statement",
    "table_name": "table",
    "table_or_path": "table",
    "tag_key": "key",
    "tag_value": "value",
    "type": "type",
    "collation_name": "collation",
}
"""Terminals and rules that a diagram shows as one word, with that word."""

AFTER = {
    ("AS", "name"): "alias",
    ("AS", "REST_RUN"): "body",
    ("AS", "SUBQUERY_RUN"): "(expression)",
    ("AND", "EXPRESSION_RUN"): "condition",
    ("CATALOG", "table_name"): "catalog",
    ("CHECK", "SUBQUERY_RUN"): "(condition)",
    ("CLONE", "table_name"): "source",
    ("FROM", "STRING"): "'location'",
    ("FROM", "SUBQUERY_RUN"): "(query)",
    ("FUNCTION", "table_name"): "function",
    ("FUNCTIONS", "table_name"): "schema",
    ("HISTORY", "INTEGER"): "n",
    ("IMMEDIATE", "EXPRESSION_RUN"): "text",
    ("INTO", "column_path"): "variable",
    ("INVENTORY", "SUBQUERY_RUN"): "(query)",
    ("LIKE", "STRING"): "'pattern'",
    ("LIKE", "table_name"): "source",
    ("LIMIT", "INTEGER"): "n",
    ("LOCATION", "STRING"): "'path'",
    ("ON", "EXPRESSION_RUN"): "condition",
    ("OPTIONS", "SUBQUERY_RUN"): "(key = value, …)",
    ("PARTITION", "SUBQUERY_RUN"): "(column = value, …)",
    ("PATTERN", "STRING"): "'glob'",
    ("SCHEMA", "table_name"): "schema",
    ("SCHEMAS", "table_name"): "catalog",
    ("TABLES", "table_name"): "schema",
    ("TO", "name"): "new name",
    ("TO", "table_name"): "new name",
    ("USE", "table_name"): "schema",
    ("USING", "SUBQUERY_RUN"): "(query)",
    ("USING", "name"): "format",
    ("USING", "table_name"): "source",
    ("VIEW", "table_name"): "view",
    ("VIEWS", "table_name"): "schema",
    ("WHERE", "EXPRESSION_RUN"): "condition",
    ("VOLUME", "table_name"): "volume",
    ("VOLUMES", "table_name"): "schema",
    ("MASK", "table_name"): "function",
    ("FILTER", "table_name"): "function",
    ("WITH", "SUBQUERY_RUN"): "(CREDENTIAL (key = value, …))",
}
"""Better words for what follows a keyword: (keyword, terminal or rule)."""

SEPARATE = {
    "column_definition": "column definition",
    "table_key": "key",
    "column_key": "key of the column",
    "key_option": "key option",
    "table_clause": "table clause",
    "column_generation": "generation",
    "merge_clause": "merge clause",
    "added_column": "added column",
    "column_change": "column change",
    "_copy_clause": "copy clause",
    "view_clause": "view clause",
    "partition_column": "partition column",
}
"""Rules with a diagram below that of the statement, with their names there."""


OVERRIDDEN = {
    "create_mode": '"CREATE" ["OR" "REPLACE"] | "REPLACE"',
    "key_option": '"NOT" "ENFORCED" | "DEFERRABLE" | "INITIALLY" "DEFERRED" | "RELY" | "NORELY" | "ENABLE" "NOVALIDATE"'
    ' | "MATCH" "FULL" | "ON" ("UPDATE" | "DELETE") "NO" "ACTION"',
    "temporal": '"VERSION" "AS" "OF" INTEGER | "TIMESTAMP" "AS" "OF" EXPRESSION_RUN',
}
"""Rules as a reader should write them: without what is refused by name, and without second spellings."""

REFUSED = {"bucket_clause", "unique_key", "partition_expression"}
"""Names of alternatives that the parser reads to refuse them by name."""


@functools.cache
def rules() -> dict[str, Item]:
    """The right side of each rule, with names of other rules in it as they are written."""
    return {name: _item(_lark().parse(text).children[0].children[-1]) for name, text in _definitions()}


def of_text(text: str) -> Item:
    """The diagram of the right side of a rule that a page writes: capitals, texts in quotes, names, operators."""
    return _diagram(_item(_lark().parse(f"x: {text.strip()}\n").children[0].children[-1]))


@functools.cache
def statement_rules() -> tuple[str, ...]:
    """The rules that `statement` may be, in the order of the files."""
    text = _text()
    found = re.findall(r"^(?:%extend )?statement:((?:.|\n(?=\s))*)", text, re.MULTILINE)
    return tuple(word for part in found for word in re.findall(r"\w+", part))


def family(rule: str) -> str:
    """The file that defines a rule, without its ending."""
    for path in sorted(FOLDER.glob("*.lark")):
        if re.search(rf"^!?{rule}:", path.read_text(encoding="utf-8"), re.MULTILINE):
            return path.stem
    raise KeyError(rule)


def _text() -> str:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.lark")))
    return re.sub(r"^//.*\n", "", text, flags=re.MULTILINE)


def _definitions() -> Iterator[tuple[str, str]]:
    for match in re.finditer(r"^!?([a-z_]+): *((?:.*)(?:\n[ \t]+.*)*)", _text(), re.MULTILINE):
        if match[1] != "start":
            yield match[1], f"{match[1]}: {OVERRIDDEN.get(match[1], match[2])}\n"


@functools.cache
def _lark() -> Lark:
    return Lark.open_from_package("lark", "lark.lark", ["grammars"], parser="lalr", maybe_placeholders=False)


def _item(tree: Any) -> Item:
    if isinstance(tree, Token):
        text = tree.strip('"')
        return Word(text) if tree.type == "STRING" and not re.search("[a-z]{2}", text) else Name(text)
    children = [child for child in tree.children if child is not None]
    match tree.data:
        case "expansions":
            return choice([_item(child) for child in children if not _is_refused(child)])
        case "alias":
            return _item(children[0])
        case "expansion":
            return sequence([_item(child) for child in children])
        case "maybe":
            return maybe(_item(children[0]))
        case "name" | "literal" | "value" | "atom":
            return _item(children[0])
        case "expr":
            return _repeated(_item(children[0]), str(children[1]))
        case _:
            raise ValueError(f"{tree.data} is not in our grammar")


def _is_refused(tree: Any) -> bool:
    return isinstance(tree, Tree) and tree.data == "alias" and str(tree.children[-1]) in REFUSED


def _repeated(item: Item, operator: str) -> Item:
    match operator:
        case "?":
            return maybe(item)
        case "+":
            return Repeat(item)
        case _:
            return Maybe(Repeat(item))


def choice(items: list[Item]) -> Item:
    """One of the items; with an empty one among them, perhaps none."""
    flat = [part for item in items for part in _alternatives(item)]
    full = tuple(dict.fromkeys(item for item in flat if item != NOTHING))
    inner = full[0] if len(full) == 1 else Choice(full) if full else NOTHING
    return maybe(inner) if NOTHING in flat else inner


def _alternatives(item: Item) -> tuple[Item, ...]:
    match item:
        case Choice(items):
            return items
        case Maybe(inner):
            return (*_alternatives(inner), NOTHING)
        case _:
            return (item,)


def _factored(item: Item) -> Item:
    """A choice whose alternatives do not begin with the same words: SET {a | b} for SET a | SET b."""
    if not isinstance(item, Choice):
        return item
    groups: dict[Item, list[tuple[Item, ...]]] = {}
    for part in item.items:
        parts = part.items if isinstance(part, Sequence) else (part,)
        groups.setdefault(parts[0], []).append(parts[1:])
    return choice(
        [
            sequence([first, _factored(choice([sequence(list(rest)) for rest in rests]))])
            if len(rests) > 1
            else sequence([first, *rests[0]])
            for first, rests in groups.items()
        ]
    )


def _diagram(item: Item) -> Item:
    """The item of a whole diagram: its alternatives are written out, each from its first word."""
    return choice([shown(part) for part in item.items]) if isinstance(item, Choice) else shown(item)


def sequence(items: list[Item]) -> Item:
    """The items one after another. `x ("," x)*` is a list of x."""
    flat: list[Item] = []
    for item in items:
        flat += item.items if isinstance(item, Sequence) else [item]
    found: list[Item] = []
    for item in flat:
        match item:
            case Maybe(Repeat(Sequence((Word(","), *rest)), "")) if found and found[-1] == sequence(list(rest)):
                found[-1] = Repeat(found[-1], ",")
            case _:
                found.append(item)
    return found[0] if len(found) == 1 else Sequence(tuple(found))


def maybe(item: Item) -> Item:
    """The item or nothing, and nothing of nothing."""
    return item if isinstance(item, Maybe) or item == NOTHING else Maybe(item)


def syntax(rule: str) -> dict[str, Item]:
    """The diagrams of a statement by their titles: its own under '', then those of the rules that it refers to."""
    found: dict[str, Item] = {}
    waiting = [("", rule)]
    done = {rule}
    while waiting:
        title, name = waiting.pop(0)
        found[title] = _diagram(rules()[name])
        for part in names(found[title]):
            if part.rule and part.rule not in done:
                done.add(part.rule)
                waiting.append((part.label, part.rule))
    return found


def names(item: Item) -> Iterator[Name]:
    """All names in an item."""
    match item:
        case Name():
            yield item
        case Sequence(items) | Choice(items):
            for part in items:
                yield from names(part)
        case Maybe(inner) | Repeat(inner):
            yield from names(inner)


def shown(item: Item, before: str = "") -> Item:
    """The item with names of readers, and with the rules of its clauses in place. `before` is the keyword in front."""
    match item:
        case Name(label):
            return _named(label, before)
        case Sequence(items):
            parts: list[Item] = []
            for part in items:
                parts.append(shown(part, before))
                before = _last_word(parts[-1]) or (before if isinstance(parts[-1], Maybe) else "")
            return sequence(parts)
        case Choice(items):
            return _factored(choice([shown(part, before) for part in items]))
        case Maybe(inner):
            return maybe(shown(inner, before))
        case Repeat(inner, separator):
            return Repeat(shown(inner, before), separator)
        case _:
            return item


def _named(name: str, before: str) -> Item:
    label = AFTER.get((before, name), LABELS.get(name, ""))
    if label:
        return Name(label)
    if name in SEPARATE:
        return Name(SEPARATE[name], name)
    if name == "nothing":
        return NOTHING
    if name not in rules():
        return Word(name) if name.isupper() else Name(name.replace("_", " "))
    return shown(rules()[name], before)


def _last_word(item: Item) -> str:
    """The keyword that says what follows an item, or nothing: neither IN nor optional words do, but for [AS]."""
    match item:
        case Word(text) if text.isalpha():
            return "" if text == "IN" else text
        case Sequence(items) if items:
            return _last_word(items[-1])
        case Choice(items):
            return _last_word(items[0])
        case Maybe(Word("AS" | "TO" | "LIKE" as text)):
            return text
        case _:
            return ""
