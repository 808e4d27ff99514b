"""What can be told to a table, a session, a read or a write: the registries, and the page that is made of them."""

from __future__ import annotations

from typing import Any

import pytest

from deltasql.base.registry.entries import Registry, RegistryEntry, boolean
from deltasql.base.session_settings import SETTINGS
from deltasql.clients.command.settings_page import PAGE, renewed
from deltasql.files.frame_options import READ_OPTIONS, STREAM_OPTIONS, WRITE_OPTIONS
from deltasql.log.table_properties import PROPERTIES

REGISTRIES: list[Registry[Any]] = [PROPERTIES, SETTINGS, WRITE_OPTIONS, READ_OPTIONS, STREAM_OPTIONS]
ENTRIES: list[RegistryEntry[Any]] = [entry for registry in REGISTRIES for entry in registry.values()]


def test_the_page_is_what_the_registries_say() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == renewed(page), "renew docs/settings.md: python -m deltasql.clients.command.settings_page"


def test_the_page_has_every_entry() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [entry.name for entry in ENTRIES if f"| `{entry.name}` |" not in page] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_says_all_that_it_must(entry: RegistryEntry[Any]) -> None:
    assert entry.documentation[0].isupper()
    assert entry.documentation.endswith(".")
    assert entry.legal
    assert entry.applies
    if entry.default is not None:
        assert entry.value(None) == entry.read(entry.default)
    else:
        assert entry.value(None) is None


def test_a_name_is_found_in_any_case_and_declared_once() -> None:
    registry: Registry[RegistryEntry[Any]] = Registry()
    entry = registry.add(RegistryEntry("aName", boolean, "true or false", None, "It is.", "tests"))
    assert registry.find("ANAME") is entry
    assert registry.get("ANAME") is None
    assert entry.value("TRUE") is True
    with pytest.raises(ValueError, match="aName cannot be 'yes': legal is true or false"):
        entry.value("yes")
    with pytest.raises(AssertionError):
        registry.add(RegistryEntry("ANAME", boolean, "true or false", None, "It is.", "tests"))
