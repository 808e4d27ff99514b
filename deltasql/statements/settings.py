"""SET and RESET of session settings: keys without back-ticks, values as they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from deltasql.base import errors, is_zone, offset_name, resembling, session_settings, shown_value
from deltasql.plan import LogicalPlan, SqlText, make_note
from deltasql.planner import KEY_VALUE, Answer, Context, Plan, SettingChange, plan
from deltasql.sql import Tree, builds, caret, unquote


@dataclass(frozen=True, slots=True)
class SetSetting(LogicalPlan):
    """SET key = value, SET key, SET [-v]: a missing value reads one setting, a missing key lists all"""

    key: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class ResetSetting(LogicalPlan):
    """RESET [key]"""

    key: str | None


@dataclass(frozen=True, slots=True)
class SetTimeZone(LogicalPlan):
    """SET TIME ZONE { LOCAL | 'zone' | INTERVAL interval }"""

    zone: SqlText


@dataclass(frozen=True, slots=True)
class CreateWidget(LogicalPlan):
    """CREATE WIDGET {TEXT | DROPDOWN | COMBOBOX | MULTISELECT} name DEFAULT 'value' [CHOICES query]

    The choices are for a user interface, and are not evaluated.
    """

    name: str
    default: str
    choices: SqlText | None


@dataclass(frozen=True, slots=True)
class RemoveWidget(LogicalPlan):
    """REMOVE WIDGET name"""

    name: str
    start: int
    end: int


@builds("widget_text")
def _widget_text(children: list[Any], tree: Tree, text: str) -> str:
    return "".join(children)


@builds("remove_widget")
def _remove_widget(children: list[Any], tree: Tree, text: str) -> RemoveWidget:
    place = caret(tree.children[0], text)
    return RemoveWidget(children[0], place.start, place.end)


@builds("set_setting")
def _set_setting(children: list[Any], tree: Tree, text: str) -> SetSetting:
    key, value = children
    return SetSetting(key, value.strip() if value is not None else None)


UNDEFINED = "<undefined>"


@plan.register
def plan_set_setting(statement: SetSetting, context: Context) -> Plan:
    """SET or SET -v lists all settings, SET key shows one, SET key = value changes it."""
    if statement.key is None or (statement.key == "-v" and statement.value is None):
        return Answer(KEY_VALUE, tuple((key, shown_value(key, value)) for key, value in context.settings))
    parameter = _PARAMETERS.get(statement.key.lower())
    if parameter is not None:
        return _parameter(statement.key, statement.value, parameter, context)
    if statement.value is None:
        value = _value(statement.key, context)
        return Answer(KEY_VALUE, ((statement.key, UNDEFINED if value is None else shown_value(statement.key, value)),))
    check_setting(statement.key, statement.value)
    if _is_unread(statement.key):
        make_note(_UNREAD.format(key=statement.key), is_warning=True)
    return SettingChange(statement.key, statement.value)


_PARAMETERS = {
    "ansi_mode": session_settings.ANSI.name,
    "timezone": session_settings.TIME_ZONE.name,
    "legacy_time_parser_policy": "spark.sql.legacy.timeParserPolicy",
    "max_file_partition_bytes": "spark.sql.files.maxPartitionBytes",
}
"""Parameters of Databricks SQL, in lower case, and the settings that they stand for."""


def _parameter(key: str, value: str | None, setting: str, context: Context) -> Plan:
    """SET of a parameter of Databricks SQL; it is shown as it was written."""
    effective = _value(setting, context)
    if value is None:
        written = context.settings.get(key)
        is_current = written is not None and _effect(setting, written).lower() == str(effective).lower()
        shown = written if is_current else effective
        return Answer(KEY_VALUE, ((key, UNDEFINED if shown is None else shown),))
    try:
        check_setting(setting, _effect(setting, value))
    except errors.InvalidSettingError as refused:
        # In the user's words: the parameter, and its value as it was written.
        raise errors.InvalidSettingError(key, value, refused.expected) from None
    return SettingChange(key, value, effect=(setting, _effect(setting, value)))


def _effect(setting: str, value: str) -> str:
    """The value of the setting for that of its parameter, which may be quoted."""
    text = unquote(value) if value[:1] in {"'", '"'} else value
    return text.lower() if setting == session_settings.ANSI.name else text


def _value(key: str, context: Context) -> str | None:
    # What the session has set is known without an engine, which may be a server far away.
    known = context.settings.get(key) or context.analyst.setting(key)
    return context.time_zone if not known and key == session_settings.TIME_ZONE.name else known


@plan.register
def plan_reset_setting(statement: ResetSetting, context: Context) -> Plan:
    setting = _PARAMETERS.get((statement.key or "").lower())
    return SettingChange(statement.key, None, effect=None if setting is None else (setting, None))


@plan.register
def plan_create_widget(statement: CreateWidget, context: Context) -> Plan:
    """A widget that has a value already, as one that the command line has given, keeps it."""
    key = session_settings.WIDGET_PREFIX + statement.name
    if context.settings.stored(key) is not None:
        return Answer()
    return SettingChange(key, statement.default, is_silent=True)


@plan.register
def plan_remove_widget(statement: RemoveWidget, context: Context) -> Plan:
    """Raises UnknownWidgetError."""
    key = session_settings.WIDGET_PREFIX + statement.name
    if context.settings.stored(key) is None:
        widgets = tuple(context.settings.with_prefix(session_settings.WIDGET_PREFIX))
        near = resembling(statement.name, widgets)
        advice = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(widgets) or 'none'}."
        raise errors.UnknownWidgetError(statement.name, advice).at(context.caret(statement.start, statement.end))
    return SettingChange(key, None)


@plan.register
def plan_set_time_zone(statement: SetTimeZone, context: Context) -> Plan:
    """SET TIME ZONE changes the setting spark.sql.session.timeZone."""
    return SettingChange(session_settings.TIME_ZONE.name, _zone_name(statement.zone, context))


def _zone_name(written: SqlText, context: Context) -> str | None:
    """The time zone of SET TIME ZONE; None for LOCAL on a machine that does not name its zone.

    Raises UnknownTimeZoneError, TimeZoneOffsetError, ParseSyntaxError.
    """
    caret = context.caret(written.start, written.end)
    tokens = written.tokens
    texts = [unquote(token.text) if token.kind == "string" else token.text for token in tokens]
    if all(token.kind == "string" for token in tokens):
        name = "".join(texts)
        if not is_zone(name):
            raise errors.UnknownTimeZoneError(value=name).at(caret)
        return name
    if [token.key for token in tokens] == ["LOCAL"]:
        return context.settings.machine_zone
    if tokens[0].key != "INTERVAL":
        expected = "LOCAL, a text such as 'UTC', or an INTERVAL"
        raise errors.ParseSyntaxError(f"SET TIME ZONE takes {expected}; found {texts[0]}.", texts[0]).at(caret)
    seconds = _interval_seconds(texts[1:])
    offset = None if seconds is None else offset_name(seconds)
    if offset is None:
        raise errors.TimeZoneOffsetError(interval=written.text).at(caret)
    return offset


_CLOCK = re.compile(r"\s*([+-]?)\s*(?:0+ +)?(\d+):(\d{1,2})(?::(\d{1,2}))?\s*")
_CLOCK_UNITS = {"HOUR TO MINUTE": 2, "HOUR TO SECOND": 3, "DAY TO MINUTE": 2, "DAY TO SECOND": 3}
_AMOUNT = re.compile(r"\s*([+-]?)\s*(\d+)\s*([A-Z]+)")
_UNIT_SECONDS = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}


def _interval_seconds(words: list[str]) -> int | None:
    """The length of `INTERVAL words` in seconds; None unless it consists of whole hours, minutes and seconds."""
    text = re.sub(r"([+-])\s+", r"\1", " ".join(words).upper()).strip()
    for units, count in _CLOCK_UNITS.items():
        clock = _CLOCK.fullmatch(text.removesuffix(units)) if text.endswith(units) else None
        if clock is not None and (clock[4] is not None) == (count == 3):
            length = int(clock[2]) * 3600 + int(clock[3]) * 60 + int(clock[4] or 0)
            return -length if clock[1] == "-" else length
    total, position = 0, 0
    while position < len(text):
        amount = _AMOUNT.match(text, position)
        unit = None if amount is None else _UNIT_SECONDS.get(amount[3].removesuffix("S"))
        if amount is None or unit is None:
            return None
        total += int(amount[1] + amount[2]) * unit
        position = amount.end()
    return total if text else None


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
    others = (session_settings.PROPERTY_DEFAULTS, *_AS_BY_DEFAULT)
    return key.startswith(_DATABRICKS) and key not in session_settings.SETTINGS and not key.startswith(others)


_LOCAL_FOLDERS = "staging_allowed_local_path"


def check_setting(key: str, value: str) -> None:
    """Raises InvalidSettingError for an invalid value of `key`, UnknownSettingError for a misspelt key of deltasql."""
    setting = session_settings.SETTINGS.get(key)
    if key.lower() == _LOCAL_FOLDERS:
        raise errors.UnknownSettingError(key, "It is an argument of connect(), and no statement changes it.")
    if setting is not None:
        setting.value(value)
    elif key.lower().startswith((_PREFIX, _DELTA)) and not key.startswith(session_settings.PROPERTY_DEFAULTS):
        _refuse_misspelt(key)


def _refuse_misspelt(key: str) -> None:
    """Raises UnknownSettingError for a key that resembles a known one, or that has the prefix of deltasql's own."""
    upper_names = {name: name.upper() for name in (*session_settings.SETTINGS, session_settings.PROPERTY_DEFAULTS)}
    near = resembling(key.upper(), upper_names.values())
    if near:
        meant = next(name for name, upper in upper_names.items() if upper == near[0])
        raise errors.UnknownSettingError(key, f"Did you mean {meant}?")
    if key.lower().startswith(_PREFIX):
        names = sorted(name for name in upper_names if name.startswith(_PREFIX))
        raise errors.UnknownSettingError(key, f"Those of deltasql are: {', '.join(names)}.")
