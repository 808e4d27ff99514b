"""Errors of session settings and statement parameters."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "INVALID_CONF_VALUE",
    "22022",
    "The setting {key} is {value!r}, and it takes {expected}. Run: SET {key} = …, or RESET {key}.",
)
class InvalidSettingError(DeltaSqlError):
    """A setting has a value that its meaning does not allow."""

    key: str
    value: str
    expected: str


@condition(
    "INVALID_CONF_VALUE.TIME_ZONE",
    "22022",
    "{value!r} is not a time zone. Write the name of a zone, as in SET TIME ZONE 'Europe/Paris', an offset such as "
    "'+01:00', or LOCAL.",
)
class UnknownTimeZoneError(DeltaSqlError):
    """SET TIME ZONE of a text that names no zone."""

    value: str


@condition(
    "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE",
    "22006",
    "{interval} is not the offset of a time zone: it must lie between -18 and 18 hours, in whole seconds. "
    "Write it as in SET TIME ZONE INTERVAL '-08:30' HOUR TO MINUTE.",
)
class TimeZoneOffsetError(DeltaSqlError):
    """SET TIME ZONE INTERVAL with days, months, fractions of a second or more than 18 hours."""

    interval: str


@condition(
    "CONFIG_NOT_AVAILABLE",
    "42K0I",
    "There is no setting {key}. {advice}",
    remedy="Check the spelling with SET, which lists the settings.",
)
class UnknownSettingError(DeltaSqlError):
    """SET of an unknown key that begins with `deltasql.`."""

    key: str
    advice: str


@condition(
    "UNBOUND_SQL_PARAMETER",
    "42P02",
    "The parameter {name} has no value. Pass it with the statement: session.sql(text, args={example}).",
)
class UnboundParameterError(DeltaSqlError):
    """A parameter marker without a value."""

    name: str
    example: str

    @classmethod
    def of(cls, marker: str) -> UnboundParameterError:
        """The error of a marker as it is written: `:name` or `?`."""
        return cls(name=marker, example=f'{{"{marker[1:]}": …}}' if marker[1:] else "[…]")


@condition(
    "UNRESOLVED_VARIABLE",
    "42883",
    "{name} stands for a version, and no variable of the session with this name holds a whole number. Write the "
    "number, as DESCRIBE HISTORY tells it, or DECLARE {name} = ….",
)
class UnknownVersionError(DeltaSqlError):
    """VERSION AS OF a name that is no variable, or one without a number."""

    name: str


@condition(
    "INVALID_TEMP_OBJ_REFERENCE",
    "42K0F",
    "This text is kept, and {name}, which stands for a version, would be a variable of this session alone. Write the "
    "number, as DESCRIBE HISTORY tells it.",
)
class LastingVersionError(DeltaSqlError):
    """CREATE VIEW v AS SELECT * FROM t VERSION AS OF variable."""

    name: str


@condition(
    "INVALID_PARAMETER_VALUE",
    "22023",
    "args is a {kind}. Pass a mapping for :name, such as {{'name': 1}}, or a list for ?, such as [1, 2].",
)
class ParametersError(DeltaSqlError):
    """Arguments that are no mapping or sequence, or hold values without a SQL type."""

    kind: str


@condition(
    "INVALID_PARAMETER_VALUE",
    "22023",
    "The value of the parameter {name} is a {kind}, which has no SQL literal. "
    "Pass a bool, int, float, Decimal, str, bytes, date, datetime, None, or a list, tuple or dict of those.",
)
class ParameterValueError(DeltaSqlError):
    """A Python value that cannot be written as SQL."""

    name: str
    kind: str
