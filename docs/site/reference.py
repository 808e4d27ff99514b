"""Pages of docs/reference: a page says which rules of the grammar it is about, and gets syntax and errors from there.

A page is Markdown. Its front matter names the `rules`; then come a title and a sentence about the statement, its
parameters, examples and notes. Examples are run by tests/test_reference.py.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from deltasql.base.errors.base import DeltaSqlError, cause_of
from deltasql.files.rendering.values import error_classes
from deltasql.sql.parser import is_script, parse
from docs.site import grammar_rules
from docs.site.diagrams import svgs
from docs.site.golden_blocks import Block
from docs.site.syntax_text import lines

FOLDER = Path(__file__).parents[1] / "reference"

GROUPS = {
    "queries": "Queries",
    "rows": "Rows",
    "tables": "Tables",
    "columns": "Columns and constraints",
    "files": "Files of tables",
    "views": "Views and functions",
    "inspect": "Looking at tables",
    "catalogs": "Schemas and catalogs",
    "governance": "Privileges, filters, masks",
    "session": "Session, transactions, scripts",
}
"""Folders of docs/reference in the order of the navigation, with their titles."""

SCRIPT = "script"
"""Stands in `rules` for texts with BEGIN … END, which the grammar's files do not describe."""

WITHOUT_PAGE: tuple[str, ...] = ("refused",)
"""Rules of statements without a page: refused by name, or their page is still to be written."""

_FRONT = re.compile(r"\A---\n(.*?)^---\n+", re.MULTILINE | re.DOTALL)
_LARK = re.compile(r"^```lark(?: title=\"([^\"]*)\")?\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_CHAPTER = re.compile(r"^## ", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A page of the reference. `path` is below docs/reference, `rules` are those of its front matter."""

    path: str
    rules: tuple[str, ...]
    body: str
    jvm: bool = False
    """Whether its examples start Spark: `jvm: true` in the front matter."""

    @property
    def title(self) -> str:
        return self.body.partition("\n")[0].removeprefix("# ")

    @property
    def summary(self) -> str:
        """The first paragraph."""
        return self.body.split("\n\n")[1].replace("\n", " ")

    @property
    def group(self) -> str:
        return self.path.partition("/")[0]


@functools.cache
def pages() -> tuple[Page, ...]:
    """All pages, in the order of the groups and of their titles."""
    found = [_page(path) for path in FOLDER.glob("*/*.md")]
    order = [*GROUPS]
    return tuple(sorted(found, key=lambda page: (order.index(page.group), page.title)))


def _page(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    match = _FRONT.match(text)
    if match is None:
        raise ValueError(f"{path} does not begin with a front matter: ---, rules: …, ---")
    fields = dict(line.split(":", 1) for line in match[1].strip().splitlines())
    rules = fields["rules"].replace(",", " ").split()
    place = path.relative_to(FOLDER).as_posix()
    return Page(place, tuple(rules), text[match.end() :], fields.get("jvm", "").strip() == "true")


def index() -> str:
    """The page that lists the others."""
    text = ["# Statements, page by page\n\nSyntax is generated from the grammar, and every example ran in the tests.\n"]
    for group, title in GROUPS.items():
        text.append(f"\n## {title}\n\n| statement | purpose |\n|---|---|\n")
        text += [f"| [{page.title}]({page.path}) | {page.summary} |\n" for page in pages() if page.group == group]
    text.append(
        "\n## How to read the syntax\n\n"
        "Words in capitals are keywords, in any case of letters; words in small letters are chosen by you. "
        "`[…]` is optional, `{a | b}` a choice, `x, …` a list with commas, and `x …` a repetition.\n\n"
        "| word | meaning |\n|---|---|\n"
        "| `table`, `view`, `function` | `name`, `schema.name`, `catalog.schema.name` |\n"
        "| `table` at a path | `` delta.`/path` `` |\n"
        "| `column` | a column, or a field in it: `address.zip`; see [ALTER TABLE](columns/add-columns.md) |\n"
        "| `name` | letters, digits and `_`; anything else in back-ticks |\n"
        "| `'text'`, `'path'` | a string in quotes of either kind |\n"
        "| `type` | [a data type](tables/create-table.md) |\n"
        "| `condition`, `expression`, `query` | of Spark SQL |\n"
    )
    return "".join(text)


def navigation() -> list[object]:
    """The pages for the navigation of the site, group by group."""
    return [
        {"All statements": "reference/index.md"},
        *(
            {title: [{page.title: f"reference/{page.path}"} for page in pages() if page.group == group]}
            for group, title in GROUPS.items()
        ),
    ]


def complete(page: Page, blocks: Iterable[Block]) -> str:
    """The body of a page with its syntax before the first chapter, and its errors behind the last one."""
    body = _LARK.sub(lambda match: _figure(match[1] or page.title, grammar_rules.of_text(match[2])), page.body)
    syntax = "" if _LARK.search(page.body) else "".join(_syntax(page))
    first, *chapters = _CHAPTER.split(body)
    head = f"{first.rstrip()}\n\n## Syntax\n\n{syntax}" if syntax else first
    return "\n\n".join([head, *(f"## {chapter}" for chapter in chapters), _errors(page, blocks)])


def _syntax(page: Page) -> Iterator[str]:
    done: set[str] = set()
    for rule in page.rules:
        for title, item in grammar_rules.syntax(rule).items():
            if title not in done:
                yield f"**{title}**\n\n" if title else ""
                yield _figure(title or page.title, item)
            done |= {title} - {""}


def _figure(title: str, item: grammar_rules.Item) -> str:
    text = lines(item)
    picture = svgs(item, f"Syntax of {title}: {' '.join(text.split())}")
    return f'<figure class="syntax">{picture}</figure>\n\n```text {{ .syntax }}\n{text}\n```\n\n'


def _errors(page: Page, blocks: Iterable[Block]) -> str:
    causes = error_classes()
    found = [name for name in sorted(conditions(tuple(blocks)).get(page.path, ())) if name in causes]
    head = (
        "## Errors\n\nConditions that the tests of this statement raise, beside those of a wrong syntax. "
        "Each links to its message and remedy.\n\n| condition | cause |\n|---|---|\n"
    )
    rows = (
        f"| [{name}]({_up(page)}errors.md#{anchor(name)}) | {_cell(cause_of(causes[name][0]))} |\n" for name in found
    )
    return head + "".join(rows) if found else ""


def _up(page: Page) -> str:
    return "../" * (page.path.count("/") + 1)


def _cell(text: str) -> str:
    return escape(text, quote=False).replace("|", "\\|").replace("\n", " ").replace("*", "\\*")


def anchor(condition: str) -> str:
    """The anchor of a heading, as Markdown's toc makes it."""
    return re.sub(r"[^\w\s-]", "", condition).strip().lower()


@functools.lru_cache(maxsize=1)
def conditions(blocks: tuple[Block, ...]) -> dict[str, set[str]]:
    """The conditions that golden files raise, by the path of the page of their statement."""
    homes = {rule: page.path for page in pages() for rule in page.rules}
    found: dict[str, set[str]] = defaultdict(set)
    for block in blocks:
        if block.condition and (home := homes.get(rule_of(block.sql))):
            found[home].add(block.condition)
    return found


def rule_of(sql: str) -> str:
    """The rule of a statement, or nothing where it cannot be parsed."""
    if is_script(sql):
        return SCRIPT
    try:
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(parse(sql)).__name__).lower()
    except DeltaSqlError:
        return ""
