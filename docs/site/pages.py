"""What mkdocs makes of the repository: the README as the first page, and a reference that is made and so never wrong.

A hook of mkdocs (https://www.mkdocs.org/user-guide/configuration/#hooks). Statements at work come from the golden
files, errors from their classes and the golden files that raise them, the Python reference from docstrings.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import deltasql
from deltasql.base.errors.base import cause_of, problem_and_remedy
from deltasql.files.rendering.values import error_classes

ROOT = Path(__file__).parents[2]
# mkdocs loads a hook by its path, and not as a part of a package.
sys.path.insert(0, str(ROOT))
from docs.site import golden_blocks, reference
from docs.site.golden_blocks import Block
from docs.site.unsupported import page as unsupported

_NOTHING = "-- schema: (none)"
"""The outcome of a statement without rows, whose log the golden file does not tell."""
_LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")
_BENCHMARKS = re.compile(r"^(?:\.\./)?benchmarks/README\.md$")
_LONGEST_EXAMPLE = 2000
"""Characters of a statement and its error."""
_REFERENCE = "reference/index.md"
_FIRST = ("connect", "Session", "Result", "Row", "DeltaSqlError")
"""Names at the head of the Python reference."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Names the version in the header, and puts the pages of docs/reference into the navigation."""
    config.site_name = f"{config.site_name} {deltasql.__version__}"
    for part in config.nav or []:
        for chapter in part.values():
            for number, entry in enumerate(chapter if isinstance(chapter, list) else []):
                if _REFERENCE in entry.values():
                    chapter[number] = {name: reference.navigation() for name in entry}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that stand in no file of docs/."""
    blocks = golden_blocks.blocks()
    pages = {
        "index.md": (ROOT / "README.md").read_text(encoding="utf-8"),
        "benchmarks.md": (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8"),
        "errors.md": _errors(blocks),
        "unsupported.md": unsupported(),
        "api.md": _api(),
        _REFERENCE: reference.index(),
        **_examples(blocks),
    }
    pages |= {f"reference/{page.path}": reference.complete(page, blocks) for page in reference.pages()}
    for path, text in pages.items():
        if (old := files.get_file_from_path(path)) is not None:
            files.remove(old)
        files.append(File.generated(config, path, content=text))
    for name in ("growth.svg", "scale.svg", "ratios.svg", "at-size.svg"):
        files.append(File.generated(config, name, abs_src_path=str(ROOT / "benchmarks" / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to files that the site has not are names of files in the repository; in a table only their texts stay."""

    def link(match: re.Match[str]) -> str:
        text, target, place = match[1], match[2], match[3] or ""
        if "://" in target:
            return match[0]
        target = _BENCHMARKS.sub("benchmarks.md", target)
        if page.file.src_uri in {"index.md", "benchmarks.md"}:
            target = target.removeprefix("../").removeprefix("docs/")
        folder = page.file.src_uri.rpartition("/")[0]
        if files.get_file_from_path(f"{folder}/{target}".lstrip("/")) is not None:
            return f"[{text}]({target}{place})"
        if target.endswith("README.md") and target.count("/") <= 1:
            return f"[{text}](index.md{place})"
        line = markdown[markdown.rfind("\n", 0, match.start()) + 1 : match.start()]
        return text if line.startswith("|") else f"{text} (`{target.removeprefix('../')}`)"

    return _LINK.sub(link, markdown)


def _examples(blocks: tuple[Block, ...]) -> dict[str, str]:
    """A page a family, a chapter a file; and the page that lists them."""
    families: dict[str, dict[str, list[Block]]] = defaultdict(lambda: defaultdict(list))
    for block in blocks:
        families[block.family][block.file].append(block)
    head = (
        "# Statements at work\n\nEach statement below ran in the tests, and what stands under it is what came of it: "
        "rows, the schema, the version of the table's log, or the error. How to read a line of the log: "
        "[golden suites](../golden-suites.md).\n\n"
    )
    pages = {"examples/index.md": head + "".join(f"- [{_title(name)}]({name}.md)\n" for name in families)}
    for family, chapters in families.items():
        text = [f"# {_title(family)}: statements at work\n"]
        for file, found in chapters.items():
            text.append(f"\n## {_title(file)}\n")
            for block in found:
                text.append(f"\n{block.name[:1].upper()}{block.name[1:]}:\n" if block.name else "")
                text.append(f"\n````sql\n{block.sql}\n````\n")
                text.append("" if block.outcome == _NOTHING else f"\n````text\n{block.outcome}\n````\n")
        pages[f"examples/{family}.md"] = "".join(text)
    return pages


def _title(name: str) -> str:
    return name[:1].upper() + name[1:].replace("_", " ")


def _errors(blocks: tuple[Block, ...]) -> str:
    """Every condition: its SQLSTATE; cause, message and remedy of each class; and a statement that raises it."""
    examples: dict[str, Block] = {}
    for block in blocks:
        if block.condition and len(block.sql) + len(block.outcome) < _LONGEST_EXAMPLE:
            examples.setdefault(block.condition, block)
    text = [
        "# Errors\n\nEvery error of deltasql is a `deltasql.DeltaSqlError` with a `condition`, an `sqlstate`, a "
        "`message` that says how to correct the statement, and mostly a `caret`: the position in the SQL.\n\n"
        "Conditions have the names that Delta and Spark give them, if these have one. `\\help CONDITION` in the shell "
        "and `error.help` in Python show the same text. In a message, ‹…› stands for a value.\n"
    ]
    for condition, errors in error_classes().items():
        text.append(f"\n## {condition}\n\nSQLSTATE `{errors[0].sqlstate}`.")
        for error in errors:
            problem, remedy = (part.replace("\n", "  \n> ") for part in problem_and_remedy(error))
            text.append(f"\n\n**Cause** (`{error.__name__}`): {cause_of(error)}\n\n> {problem}")
            text.append(f"\n\n**What to do**: {remedy}")
        if (example := examples.get(condition)) is not None:
            where = f"tests/golden/{example.family}/{example.file}.sql"
            text.append(f"\n\n**Example**, from `{where}`:")
            text.append(f"\n\n````sql\n{example.sql}\n````\n\n````text\n{example.outcome}\n````")
        text.append("\n")
    return "".join(text)


def _api() -> str:
    names = sorted(deltasql.__all__, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    found = ((name, getattr(deltasql, name)) for name in names if not name.startswith("_"))
    homes = ((name, item) for name, item in found if not isinstance(item, ModuleType))
    parts = "".join(
        f"\n::: {item.__module__}.{name}\n    options:\n      heading: deltasql.{name}\n" for name, item in homes
    )
    return f"# Python\n\nWhat a program imports; the reference is made from the docstrings.\n{parts}"
