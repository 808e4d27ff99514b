"""Rows as text, in each format that the command line offers.

Takes a Grid of columns and cells. The source of the rows and the destination of the text are the caller's.
"""

from __future__ import annotations

AUTO = "auto"
"""A table where it can be read, else blocks of lines."""

FORMATS = (AUTO, "table", "vertical", "csv", "tsv", "json", "jsonl", "markdown")
"""The names of the formats; `formats.render` writes them."""
