"""The pictures of the documentation are those that their scripts draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.pictures.__main__ import PICTURES, PLACE

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.spark
@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_drawn_anew(name: str) -> None:
    assert (PLACE / name).read_text(encoding="utf-8") == PICTURES[name](), f"run: python -m docs.pictures {name}"


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_shown(name: str) -> None:
    pages = [README, *PLACE.parent.glob("*.md")]
    assert any(f"pictures/{name})" in page.read_text(encoding="utf-8") for page in pages)
