r"""Preferences of the shell, set by `\pset` and in the configuration file."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from deltasql.base.errors.usage import UnknownPreferenceError, WrongPreferenceError

SHOWN_ROWS = 1000
"""Most rows of a query that are printed by default: a forgotten LIMIT must not flood the terminal or the driver."""
ALL = "all"
_SWITCHES = {"on": True, "true": True, "off": False, "false": False}


@dataclass(frozen=True, slots=True)
class Preferences:
    """Preferences of the shell.

    `pager`: results longer than the window go through a pager. `progress`: Spark's progress is shown. `confirm`: the
    shell asks before statements that delete all rows, or a table. `timing`: the time of statements is shown. `rows`:
    most rows of a query that are printed; None for all.
    """

    pager: bool = True
    progress: bool = True
    confirm: bool = True
    timing: bool = True
    rows: int | None = SHOWN_ROWS

    @property
    def listing(self) -> str:
        """All preferences with their values, one a line."""
        return "\n".join(f"{item.name:9} {self.value(item.name)}" for item in fields(self))

    def value(self, name: str) -> str:
        """The value of a preference, as it is typed. Raises UnknownPreferenceError."""
        values: dict[str, bool | int | None] = {item.name: getattr(self, item.name) for item in fields(self)}
        if name not in values:
            raise UnknownPreferenceError(name=name, known=NAMES)
        value = values[name]
        if isinstance(value, bool):
            return "on" if value else "off"
        return ALL if value is None else str(value)

    def with_value(self, name: str, text: str) -> Preferences:
        """These preferences with one changed; an empty `text` toggles a switch.

        Raises UnknownPreferenceError, WrongPreferenceError.
        """
        old, text = self.value(name), text.lower()
        if name == "rows":
            if text != ALL and not (text.isdecimal() and int(text)):
                raise WrongPreferenceError(name=name, value=text, legal=f"a number, or {ALL}")
            return replace(self, rows=None if text == ALL else int(text))
        if text and text not in _SWITCHES:
            raise WrongPreferenceError(name=name, value=text, legal="on or off")
        return replace(self, **{name: _SWITCHES[text] if text else old == "off"})


NAMES = tuple(item.name for item in fields(Preferences))
