"""SET and RESET."""

from __future__ import annotations

from deltasql.plan.settings import ResetSetting, SetSetting
from deltasql.planner.changes import KEY_VALUE, Answer, Plan, SettingChange
from deltasql.planner.context import Context
from deltasql.planner.rule import plan

UNDEFINED = "<undefined>"


@plan.register
def _(statement: SetSetting, context: Context) -> Plan:
    """SET alone lists all settings, SET key shows one, SET key = value changes it."""
    if statement.key is None:
        return Answer(KEY_VALUE, tuple(context.settings))
    if statement.value is None:
        value = context.settings.get(statement.key) or context.analyst.setting(statement.key) or UNDEFINED
        return Answer(KEY_VALUE, ((statement.key, value),))
    return SettingChange(statement.key, statement.value)


@plan.register
def _(statement: ResetSetting, context: Context) -> Plan:
    return SettingChange(statement.key, None)
