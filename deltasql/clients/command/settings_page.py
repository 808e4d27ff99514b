"""The tables of docs/settings.md, from the registries: `python -m deltasql.clients.command.settings_page` renews them.

Text outside of the marks `<!-- table … -->` and `<!-- end -->` is written by hand and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from deltasql.base import RegistryEntry, session_settings
from deltasql.files import frame_options
from deltasql.log import Property, table_properties

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"
"""The page, where the package lies in its repository."""

_TABLES: Mapping[str, Iterable[RegistryEntry[Any]]] = {
    "session settings": session_settings.SETTINGS.values(),
    "table properties": [item for item in table_properties.PROPERTIES.values() if item.applies != "other engines"],
    "stored properties": [item for item in table_properties.PROPERTIES.values() if item.applies == "other engines"],
    "write options": frame_options.WRITE_OPTIONS.values(),
    "read options": frame_options.READ_OPTIONS.values(),
    "stream options": frame_options.STREAM_OPTIONS.values(),
}


def renewed(page: str) -> str:
    """`page` with its tables as the registries have them. Raises KeyError for a mark of an unknown table."""

    def table(match: re.Match[str]) -> str:
        return f"<!-- table: {match[1]} -->\n{_table(_TABLES[match[1]])}<!-- end -->"

    return re.sub(r"<!-- table: ([a-z ]+) -->\n.*?<!-- end -->", table, page, flags=re.DOTALL)


def _table(entries: Iterable[RegistryEntry[Any]]) -> str:
    """The Markdown table of some entries, by name."""
    rows = [_row(entry) for entry in sorted(entries, key=lambda item: item.name.lower())]
    return "".join(("| name | default | values | where it counts | meaning |\n", "|---|---|---|---|---|\n", *rows))


def _row(entry: RegistryEntry[Any]) -> str:
    default = f"`{entry.default}`" if entry.default else ""
    meaning = entry.documentation
    if isinstance(entry, Property) and entry.internal:
        meaning += " Statements cannot set it."
    if isinstance(entry, Property) and entry.feature is not None and (entry.switch or entry.any_text_switches):
        meaning += f" Feature: `{entry.feature}`."
    return f"| `{entry.name}` | {default} | {entry.legal} | {entry.applies} | {meaning} |\n"


def main() -> None:
    """Writes the page anew."""
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
