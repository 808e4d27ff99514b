"""Rows as text, in each format that the command line offers.

Takes a Grid of columns and cells. Where rows come from, and where the text goes, is for those who call.
"""

from __future__ import annotations

AUTO = "auto"
"""A table where it can be read, else blocks of lines."""

FORMATS = (AUTO, "table", "vertical", "csv", "tsv", "json", "jsonl", "markdown")
"""The names of the formats; `formats.render` writes them."""
