"""The check of the built documentation finds each kind of fault."""

from __future__ import annotations

import re
from pathlib import Path

from docs.site.check import faults

ROOT = Path(__file__).parents[1]


def _site(folder: Path, **pages: str) -> list[str]:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return list(faults(folder))


def test_a_good_site_has_no_fault(tmp_path: Path) -> None:
    table = "<table><thead><tr><th>name</th></tr></thead><tr><td>a</td></tr></table>"
    links = '<a href="b.html#x">b</a><a href="#top">up</a><a href="https://example.org/none">far</a>'
    one = f'<h1 id="top">A</h1>{table}{links}<img src="b.html" alt="a picture">'
    assert _site(tmp_path, a=one, b='<h2 id="x">B</h2>') == []


def test_each_fault_is_found(tmp_path: Path) -> None:
    page = (
        '<a href="c.html">c</a><a href="b.html#y">y</a><img src="b.html"><svg role="img"></svg>'
        "<table><tr><td>a</td></tr></table><table><tr><th>name</th><th></th></tr></table>"
    )
    found = _site(tmp_path, a=page, b="<p>B</p>")
    assert [fault.split(": ")[1] for fault in found] == [
        "a picture without a text",
        "a diagram without a text",
        "a table whose columns have no header",
        "a table whose columns have no header",
        "a link to no page",
        "a link to no anchor",
    ]


def test_how_to_pages_answer_questions() -> None:
    """Each how-to has its question as its title, in the navigation and on the page; the first page lists short ones."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    part = text[text.index("  - How to:") : text.index("  - Moving here:")]
    first, *found = re.findall(r"^      - (.+): ([\w-]+\.md)$", part, re.MULTILINE)
    assert first == ("How do I …", "how-to.md")
    assert len(found) >= 20
    for title, page in found:
        assert title.startswith("How do I ")
        assert title.endswith("?")
        assert (ROOT / "docs" / page).read_text(encoding="utf-8").startswith(f"# {title}\n"), page


def test_each_page_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [path.name for path in (ROOT / "docs").glob("*.md") if f": {path.name}\n" not in text]
    assert not missing, f"add these to the navigation in mkdocs.yml: {missing}"


def test_indented_code_follows_a_paragraph() -> None:
    """Behind a list, Markdown takes an indented block for a further paragraph of the last item, and not for code."""
    found = []
    for path in sorted((ROOT / "docs").rglob("*.md")):
        in_list = fenced = False
        lines = path.read_text(encoding="utf-8").split("\n")
        for number, (before, line) in enumerate(zip(["", *lines], lines, strict=False), 1):
            fenced ^= line.lstrip().startswith("```")
            if fenced or not line.strip() or line.lstrip().startswith("```"):
                continue
            if line.startswith("    ") and not before.strip() and in_list:
                found.append(f"{path.name}:{number}: {line.strip()}")
            in_list = re.match(r" *(?:[-*+]|\d+\.) ", line) is not None or (in_list and line.startswith(" "))
    assert not found, "put a sentence above the code:\n" + "\n".join(found)
