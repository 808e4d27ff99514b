"""Session settings about the data files that writes make. The registry's other settings are in `session_settings`."""

from __future__ import annotations

from deltasql.registry.readers import byte_size
from deltasql.settings.setting import REGISTRY, Setting, maybe, switch

_WRITES = "writes"


def _mebibytes(text: str) -> int:
    """Bytes of a size; a number alone counts mebibytes."""
    return byte_size(f"{text.strip()}m" if text.strip().isdecimal() else text)


OPTIMIZE_WRITE = maybe(
    "spark.databricks.delta.optimizeWrite.enabled",
    switch,
    "true or false",
    _WRITES,
    "Spark shuffles rows into fewer, larger files; it overrides `delta.autoOptimize.optimizeWrite`.",
)
OPTIMIZE_WRITE_BIN = REGISTRY.add(
    Setting(
        "spark.databricks.delta.optimizeWrite.binSize",
        _mebibytes,
        "a size such as 512 (MB) or 1g",
        "512",
        "How much shuffled data goes into one file of an optimized write; `delta.targetFileSize` beats it.",
        _WRITES,
    )
)
