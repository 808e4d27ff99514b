"""Checks of SET before it stores a value: an invalid one would fail every later statement."""

from __future__ import annotations

from deltasql.errors.statements.settings import UnknownSettingError
from deltasql.errors.suggestion import resembling
from deltasql.settings.session_settings import PROPERTY_DEFAULTS, SETTINGS

_PREFIX = "deltasql."
_DELTA = "spark.databricks.delta."


def check_setting(key: str, value: str) -> None:
    """Raises InvalidSettingError for an invalid value of `key`, UnknownSettingError for a misspelt key of deltasql."""
    setting = SETTINGS.get(key)
    if setting is not None:
        setting.value(value)
    elif key.startswith((_PREFIX, _DELTA)) and not key.startswith(PROPERTY_DEFAULTS):
        _refuse_misspelt(key)


def _refuse_misspelt(key: str) -> None:
    """Raises UnknownSettingError for a key that resembles a known one, or that has the prefix of deltasql's own."""
    upper_names = {name: name.upper() for name in (*SETTINGS, PROPERTY_DEFAULTS)}
    near = resembling(key.upper(), upper_names.values())
    if near:
        meant = next(name for name, upper in upper_names.items() if upper == near[0])
        raise UnknownSettingError(key, f"Did you mean {meant}?")
    if key.startswith(_PREFIX):
        names = sorted(name for name in upper_names if name.startswith(_PREFIX))
        raise UnknownSettingError(key, f"Those of deltasql are: {', '.join(names)}.")
