"""SET and RESET."""

from __future__ import annotations

from deltasql.errors.secrets import shown_value
from deltasql.errors.statements.settings import UnknownSettingError
from deltasql.errors.suggestion import resembling
from deltasql.plan.notes import make_note
from deltasql.plan.statements.settings import ResetSetting, SetSetting
from deltasql.planner.changes import KEY_VALUE, Answer, Plan, SettingChange
from deltasql.planner.context import Context
from deltasql.planner.rule import plan
from deltasql.settings.session_settings import PROPERTY_DEFAULTS, SETTINGS, TIME_ZONE

UNDEFINED = "<undefined>"


@plan.register
def _(statement: SetSetting, context: Context) -> Plan:
    """SET or SET -v lists all settings, SET key shows one, SET key = value changes it."""
    if statement.key is None or (statement.key == "-v" and statement.value is None):
        return Answer(KEY_VALUE, tuple((key, shown_value(key, value)) for key, value in context.settings))
    if statement.value is None:
        value = _value(statement.key, context)
        return Answer(KEY_VALUE, ((statement.key, UNDEFINED if value is None else shown_value(statement.key, value)),))
    check_setting(statement.key, statement.value)
    if _is_unread(statement.key):
        make_note(_UNREAD.format(key=statement.key), is_warning=True)
    return SettingChange(statement.key, statement.value)


def _value(key: str, context: Context) -> str | None:
    zone = context.time_zone if key == TIME_ZONE.name else None
    return context.settings.get(key) or context.analyst.setting(key) or zone


@plan.register
def _(statement: ResetSetting, context: Context) -> Plan:
    return SettingChange(statement.key, None)


_PREFIX = "deltasql."
_DELTA = "spark.databricks.delta."


_UNREAD = (
    "deltasql does not read {key}: the setting is stored, and changes nothing. "
    "Settings with an effect are in docs/settings.md."
)
_DATABRICKS = "spark.databricks."
_AS_BY_DEFAULT = ("spark.databricks.delta.rowLevelConcurrencyPreview",)
"""Settings that switch on what is always on."""


def _is_unread(key: str) -> bool:
    """Whether a setting of Delta or Databricks has no effect here, nor in Spark."""
    others = (PROPERTY_DEFAULTS, *_AS_BY_DEFAULT)
    return key.startswith(_DATABRICKS) and key not in SETTINGS and not key.startswith(others)


_LOCAL_FOLDERS = "staging_allowed_local_path"


def check_setting(key: str, value: str) -> None:
    """Raises InvalidSettingError for an invalid value of `key`, UnknownSettingError for a misspelt key of deltasql."""
    setting = SETTINGS.get(key)
    if key.lower() == _LOCAL_FOLDERS:
        raise UnknownSettingError(key, "It is an argument of connect(), and no statement changes it.")
    if setting is not None:
        setting.value(value)
    elif key.lower().startswith((_PREFIX, _DELTA)) and not key.startswith(PROPERTY_DEFAULTS):
        _refuse_misspelt(key)


def _refuse_misspelt(key: str) -> None:
    """Raises UnknownSettingError for a key that resembles a known one, or that has the prefix of deltasql's own."""
    upper_names = {name: name.upper() for name in (*SETTINGS, PROPERTY_DEFAULTS)}
    near = resembling(key.upper(), upper_names.values())
    if near:
        meant = next(name for name, upper in upper_names.items() if upper == near[0])
        raise UnknownSettingError(key, f"Did you mean {meant}?")
    if key.lower().startswith(_PREFIX):
        names = sorted(name for name in upper_names if name.startswith(_PREFIX))
        raise UnknownSettingError(key, f"Those of deltasql are: {', '.join(names)}.")
