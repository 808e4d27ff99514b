"""The columns of data files in which moved rows carry their ids. Source: Delta protocol, Row Tracking."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RowIdColumns:
    """Physical names: of a row's id, and of the version that last changed it. No column of the table has them."""

    row_id: str
    version: str
