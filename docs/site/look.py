"""`python -m docs.site.look [PAGE…]`: faults of the built site that only a browser shows. Exit code 1 if there is one.

Each page, or those whose path contains one of the texts, is opened wide and narrow, light and dark. Nothing may be
wider than the window, cut off without a scrollbar, empty, not loaded, or of a colour too close to its background; no
script may fail, and no page may ask another host. `--pictures FOLDER` stores pictures of the pages.

Needs the extra `look` and Chromium (`apt-get install chromium`), so it is not part of `docs.site.check`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

SITE = Path(__file__).parents[2] / "build" / "site"
WIDTHS = {"wide": (1440, 900), "narrow": (390, 844)}
THEMES = {"light": "default", "dark": "slate"}
TALLEST = 6000
"""Pixels of a picture of a page: the rest of a long one is left out."""

_STILL = "*, *::before, *::after { transition: none !important; animation: none !important; }"
_FAULTS = Path(__file__).with_name("look.js").read_text(encoding="utf-8")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Requests are not reported."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address of a directory while it is served on this machine: search needs one, as it has for readers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def browser() -> Iterator[Any]:
    """A page of Chromium that is installed, or of the one that Playwright has fetched."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        opened = playwright.chromium.launch(executable_path=path, args=options)
        try:
            yield opened.new_page(reduced_motion="reduce")
        finally:
            opened.close()


def faults(site: Path, names: list[str], pictures: Path | None = None) -> Iterator[str]:
    """The faults of the pages of a site, each with its page, width and theme; and of the search and the themes."""
    paths = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if path.name != "404.html")
    with served(site) as address, browser() as page:
        heard: list[str] = []
        page.on("pageerror", lambda error: heard.append(f"a script fails: {error}"))
        page.on("request", lambda request: heard.extend(_asked(request.url, address)))
        for path in paths:
            if not names or any(name in path for name in names):
                page.goto(address + path, wait_until="load")
                page.add_style_tag(content=_STILL)
                yield from _looked_at(page, path, pictures)
                yield from (f"{path}: {fault}" for fault in dict.fromkeys(heard))
                heard.clear()
        if "index.html" in paths:
            yield from _controls(page, address)


def _asked(url: str, address: str) -> list[str]:
    return [] if url.startswith((address, "data:", "blob:")) else [f"asks another host: {url}"]


def _looked_at(page: Any, path: str, pictures: Path | None) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for size, (width, height) in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme, scheme in THEMES.items():
            page.evaluate("scheme => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)
            for fault in dict.fromkeys(page.evaluate(_FAULTS)):
                found.setdefault(fault, []).append(f"{size} {theme}")
            if pictures is not None:
                _store(page, pictures / f"{path.removesuffix('.html').replace('/', '-')}-{size}-{theme}.png", width)
    for fault, where in found.items():
        yield f"{path} ({', '.join(where)}): {fault}"


def _store(page: Any, target: Path, width: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
    page.screenshot(path=target, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": height})


def _controls(page: Any, address: str) -> Iterator[str]:
    """Search finds a statement, the button changes the theme, and the version stands in the header."""
    from deltasql.base.version import __version__

    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{address}index.html")
    if __version__ not in page.inner_text(".md-header"):
        yield f"index.html: the header does not show the version {__version__}"
    before = page.get_attribute("body", "data-md-color-scheme")
    page.click("label.md-header__button[for^=__palette]:not([hidden])")
    if page.get_attribute("body", "data-md-color-scheme") == before:
        yield "index.html: the button for light and dark changes nothing"
    page.click("input.md-search__input")
    page.keyboard.type("OPTIMIZE")
    try:
        page.wait_for_selector(".md-search-result__item", timeout=20_000)
    except Exception as error:
        yield f"index.html: search finds nothing: {error}"


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m docs.site.look", description="faults that only a browser shows")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="only pages whose path contains one of these texts")
    parser.add_argument("--site", type=Path, default=SITE, help="the built site; default build/site")
    parser.add_argument("--pictures", type=Path, help="a folder for a picture of each page, width and theme")
    given = parser.parse_args(arguments)
    found = list(faults(given.site.resolve(), given.pages, given.pictures))
    print("\n".join(found) or "no faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
