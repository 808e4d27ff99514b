"""Sentences of README.md and docs stand alone: short, with a subject, in the glossary's terms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

MOST_WORDS = 30

_DOES = "loses|comes|has|writes|reads|may|runs|wants|can|is|sees|looks|does"
SUBJECTS = {
    r"^(What|Whatever|Who|Whoever|Whose|Whichever)\b(?!.*\?$)": "name the subject",
    rf"\b(?:and|but|or|then|for|since|because|so that|while), who\b|\bwho (?:{_DOES})\b": "the writer, the reader",
    r"\bwhat (?:[\w`]+ ){1,4}(?:is|are)\b[^?]*$": "name the subject",
}
"""Patterns of sentences whose subject a reader has to guess, and the remedy."""

IDIOMS = {
    r"\b(?:make|makes|made|making) way\b": "are deleted, are replaced",
    r"\b(?:is|are|was|were|be|been) told\b|\btold apart\b|\bretold\b": "is reported, by row, is distinguished",
    r"\bof (?:its|their) own\b|\bby (?:itself|themselves)\b": "separate, new, automatic, alone",
    r"\bof (?:yours|mine|ours)\b": "your, existing, of deltasql",
    r"\bnobody (?:knows|has|sees|needs)\b|\beverybody\b": "unknown, all sessions, no process",
    r"\ball the same\b": "nevertheless",
    r"\bas good as\b": "is ignored, replaces",
    r"\bgoes by\b|\bgo by\b": "is matched by, uses",
    r"\b(?:computed|evaluated|rewritten) here\b": "in this process",
    r"\bmay be had\b|\bis had\b": "exists",
}
"""Patterns of home-made words, and the terms that they stand for."""


class Sentence(NamedTuple):
    """A sentence outside of tables and code; `line` is where its paragraph begins."""

    page: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


_FENCE = re.compile(r"^ *(`{3,}|~{3,})")
_ITEM = re.compile(r"^ *(?:[-*+]|\d+\.) +")
_APART = re.compile(r"^(?:\||#|!\[|\[!|<|:::|---+$)")
_CODE = re.compile(r"(`+)(?:(?!\1).)+\1")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`\[]*(?:[A-Z0-9`…]|delta-|deltasql|pytest|dbt))")
_WORD = re.compile(r"[\w'’.,-]*\w[\w'’-]*")


def lines_of(page: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page with their numbers; those of fenced code are empty."""
    fence = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        match = _FENCE.match(line)
        yield number, "" if fence or match else line
        if match and (not fence or line.strip() == fence):
            fence = "" if fence else match[1]


def paragraphs(page: Path) -> Iterator[tuple[int, str]]:
    """Paragraphs and items of lists, each with its first line; tables, headings and code are left out."""
    found: list[str] = []
    first, in_list = 0, False
    for number, line in [*lines_of(page), (0, "")]:
        item = _ITEM.match(line)
        in_list = bool(line.strip()) and (in_list or item is not None)
        apart = not line.strip() or _APART.match(line.strip()) or (line.startswith("    ") and not in_list)
        if found and (apart or item):
            yield first, " ".join(found)
            found = []
        if not apart:
            first = first if found else number
            found.append(line[item.end() :].strip() if item else line.strip())


def plain(text: str) -> str:
    """A text with code as one word, links as their texts, and without marks."""
    return _LINK.sub(r"\1", _CODE.sub("C", text)).replace("**", "")


def sentences(page: Path) -> list[Sentence]:
    """The sentences of a page."""
    return [
        Sentence(page.name, line, part.strip())
        for line, paragraph in paragraphs(page)
        for part in _END.split(plain(paragraph))
        if part.strip()
    ]


def cells(page: Path) -> list[Sentence]:
    """The cells of tables, and the headings."""
    return [
        Sentence(page.name, number, part.strip(" #"))
        for number, line in lines_of(page)
        if line.startswith(("|", "#"))
        for part in plain(line).split("|")
    ]


def words(text: str) -> int:
    """The number of words of a text."""
    return len(_WORD.findall(text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sentences_are_short(page: Path) -> None:
    long = [f"{words(item.text)} words: {item}" for item in sentences(page) if words(item.text) > MOST_WORDS]
    assert not long, "\n" + "\n".join(long)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sentences_have_subjects(page: Path) -> None:
    wrong = _found(sentences(page), SUBJECTS)
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_words_are_terms(page: Path) -> None:
    wrong = _found([*sentences(page), *cells(page)], IDIOMS)
    assert not wrong, "\n" + "\n".join(wrong)


def _found(items: list[Sentence], patterns: dict[str, str]) -> list[str]:
    return [
        f"{item} [write: {remedy}]"
        for item in items
        for pattern, remedy in patterns.items()
        if re.search(pattern, item.text)
    ]


def test_the_rules_find_what_they_are_for(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A title of its own\n\nWho reads it. `x` is it? delta-rs reads.\n\n- One.\n- Two,\n  and rows make way.\n\n"
        "    What is code\n\n```text\nWho is code\n```\n\n| cell | rows are told apart |\n",
        encoding="utf-8",
    )
    texts = [item.text for item in sentences(page)]
    assert texts == ["Who reads it.", "C is it?", "delta-rs reads.", "One.", "Two, and rows make way."]
    assert len(_found(sentences(page), SUBJECTS)) == 1
    assert len(_found([*sentences(page), *cells(page)], IDIOMS)) == 3
