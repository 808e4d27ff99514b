"""Engines without a JVM that run in this process: a JVM beside them would not be reached by PySpark."""

from __future__ import annotations

RUNNING: list[str] = []
"""Their names. An engine that has begun stays until the process ends."""
