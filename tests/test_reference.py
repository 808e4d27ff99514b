"""Every statement of the grammar has a page in docs/reference, whose examples give the output that it shows."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from docs.site import grammar_rules, reference
from docs.site.diagrams import svgs
from docs.site.examples import comparable, written
from docs.site.golden_blocks import blocks
from docs.site.syntax_text import lines

PAGES = reference.pages()
CHAPTERS = ("Parameters", "Examples", "Requirements and differences", "Conflicts")


def test_each_statement_has_a_page() -> None:
    found = Counter(rule for page in PAGES for rule in page.rules)
    wanted = {*grammar_rules.statement_rules(), reference.SCRIPT}
    missing = wanted - found.keys() - set(reference.WITHOUT_PAGE)
    assert not missing, f"write docs/reference/<group>/….md with these rules, or add them to WITHOUT_PAGE: {missing}"
    assert not found.keys() - wanted, f"no such rule of a statement: {found.keys() - wanted}"
    assert not found.keys() & set(reference.WITHOUT_PAGE), "these have a page: take them out of WITHOUT_PAGE"
    assert max(found.values()) == 1, f"on two pages: {[rule for rule, number in found.items() if number > 1]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_pages_have_the_same_chapters(page: reference.Page) -> None:
    assert page.group in reference.GROUPS
    assert re.match(r"# .+\n\n[A-Z].*[a-z]", page.body), "a title, and a sentence about the statement"
    assert page.summary.endswith("."), "the first paragraph is a sentence"
    chapters = [name for name in re.findall(r"^## (.+)$", page.body, re.MULTILINE) if name != "Syntax"]
    assert [name for name in chapters if name in CHAPTERS] == [name for name in CHAPTERS if name in chapters]
    assert {"Examples", "Requirements and differences", "Conflicts"} <= {*chapters}
    assert "```sql\n" in page.body


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_diagrams_and_errors_are_generated(page: reference.Page) -> None:
    text = reference.complete(page, blocks())
    assert "## Syntax\n" in text
    assert '<svg role="img"' in text
    assert "_RUN" not in text, "a terminal of the grammar has no word in LABELS"


def _case(page: reference.Page) -> object:
    return pytest.param(page, id=page.path, marks=pytest.mark.spark if page.jvm else ())


@pytest.mark.parametrize("page", [_case(page) for page in PAGES])
def test_examples_give_the_output_that_is_shown(page: reference.Page) -> None:
    text = page.body
    remedy = f"python -m docs.site.examples {page.path}"
    assert comparable(written(text)) == comparable(text), remedy


@pytest.mark.parametrize("rule", grammar_rules.statement_rules())
def test_each_rule_can_be_drawn(rule: str) -> None:
    for title, item in grammar_rules.syntax(rule).items():
        assert svgs(item, title).startswith('<svg role="img"')
        assert not re.search(r"[A-Z]_RUN|\bname_|_list\b", lines(item))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ('"A" ["AS"? name] ["WHERE" EXPRESSION_RUN]', "A [[AS] alias] [WHERE condition]"),
        ('"(" name ("," name)* ")"', "(name, …)"),
        ('"CREATE" | "CREATE" "OR" "REPLACE"', "CREATE\nCREATE OR REPLACE"),
        ('"X" ("CREATE" | "CREATE" "OR" "REPLACE")', "X CREATE [OR REPLACE]"),
        ('"X" ("SET" "A" | "DROP" "A" | "SET" "B")', "X {SET {A | B} | DROP A}"),
        ('"A" ("B" | )', "A [B]"),
        ('"A" type*', "A [type …]"),
    ],
)
def test_syntax_as_text(rule: str, text: str) -> None:
    assert lines(grammar_rules.of_text(rule)) == text


def test_what_differs_in_every_run_is_not_compared() -> None:
    assert comparable("| 2024-01-01 10:00:00.123 | a |") == comparable("| 2025-02-02 11:00:00 |  a |")
    assert comparable("| 1 |") != comparable("| 2 |")
