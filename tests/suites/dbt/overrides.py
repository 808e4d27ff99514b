"""What classes of dbt's suite leave to adapters."""

from __future__ import annotations

OVERRIDES: dict[str, type] = {}
