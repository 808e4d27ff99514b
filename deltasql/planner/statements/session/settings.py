"""SET and RESET."""

from __future__ import annotations

from deltasql.errors.secrets import shown_value
from deltasql.plan.statements.settings import ResetSetting, SetSetting
from deltasql.planner.changes import KEY_VALUE, Answer, Plan, SettingChange
from deltasql.planner.context import Context
from deltasql.planner.rule import plan
from deltasql.settings.checks import check_setting
from deltasql.settings.session_settings import TIME_ZONE

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
    return SettingChange(statement.key, statement.value)


def _value(key: str, context: Context) -> str | None:
    zone = context.time_zone if key == TIME_ZONE.name else None
    return context.settings.get(key) or context.analyst.setting(key) or zone


@plan.register
def _(statement: ResetSetting, context: Context) -> Plan:
    return SettingChange(statement.key, None)
