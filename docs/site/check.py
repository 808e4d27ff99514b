"""`python -m docs.site.check [DIRECTORY]`: faults of the built site, without a browser. Exit code 1 if there is one.

Links inside of the site lead to a page and an anchor that exist, tables have a header with a text in each column, and
every picture has a text for those who cannot see it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_OF_THE_THEME = {"__consent", "__search"}
"""Anchors that the theme's scripts make."""


@dataclass
class _Page:
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Reads one page into `page`."""

    def __init__(self) -> None:
        super().__init__()
        self.page = _Page()
        self._headers: list[str] | None = None
        self._in_header = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.page.anchors |= {text for name in ("id", "name") if (text := values.get(name))}
        if (link := values.get("href" if tag in {"a", "link"} else "src")) is not None:
            self.page.links.append(link)
        if tag == "img" and not values.get("alt"):
            self.page.faults.append(f"a picture without a text: {values.get('src')}")
        if tag == "svg" and values.get("role") == "img" and not values.get("aria-label"):
            self.page.faults.append("a diagram without a text")
        if tag == "table" and values.get("class") != "highlighttable":
            self._headers = []
        if tag == "th" and self._headers is not None:
            self._headers.append("")
            self._in_header = True

    def handle_data(self, data: str) -> None:
        if self._in_header and self._headers:
            self._headers[-1] += data.strip()

    def handle_endtag(self, tag: str) -> None:
        if tag == "th":
            self._in_header = False
        if tag == "table" and self._headers is not None:
            if not self._headers or not all(self._headers):
                self.page.faults.append(f"a table whose columns have no header: {self._headers}")
            self._headers = None


def faults(site: Path) -> Iterator[str]:
    """The faults of all pages below a directory, each with its page."""
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        yield from (f"{name}: {fault}" for fault in page.faults)
        # The page for what is not found is served at any address, with links from the root.
        for link in [] if name == "404.html" else dict.fromkeys(page.links):
            if fault := _broken(link, path, pages):
                yield f"{name}: {fault}"


def _read(path: Path) -> _Page:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def _broken(link: str, page: Path, pages: dict[Path, _Page]) -> str:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return f"a link to no page: {link}"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors | _OF_THE_THEME:
        return f"a link to no anchor: {link}"
    return ""


def main(arguments: list[str]) -> int:
    """The command."""
    site = Path(arguments[0] if arguments else "build/site").resolve()
    found = list(faults(site))
    print("\n".join(found) or f"no faults in {sum(1 for _ in site.rglob('*.html'))} pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
