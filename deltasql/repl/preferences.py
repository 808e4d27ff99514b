r"""What a user may choose in the shell, by `\pset` and in the file of settings."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from deltasql.errors.usage import UnknownPreferenceError, WrongPreferenceError

SHOWN_ROWS = 1000
"""More rows than this are not printed: a forgotten LIMIT must not flood the terminal or the driver."""
ALL = "all"
_SWITCHES = {"on": True, "true": True, "off": False, "false": False}


@dataclass(frozen=True, slots=True)
class Preferences:
    """How the shell behaves.

    `pager`: results longer than the window go through a pager. `progress`: it is told how far Spark is. `confirm`:
    statements that take all rows, or a table, ask first. `timing`: it is told how long statements take. `rows` are at
    most printed of a query; None for all.
    """

    pager: bool = True
    progress: bool = True
    confirm: bool = True
    timing: bool = True
    rows: int | None = SHOWN_ROWS

    @property
    def told(self) -> str:
        """All of them, one a line."""
        return "\n".join(f"{item.name:9} {self.value(item.name)}" for item in fields(self))

    def value(self, name: str) -> str:
        """The value of one, as it is typed. Raises UnknownPreferenceError."""
        values: dict[str, bool | int | None] = {item.name: getattr(self, item.name) for item in fields(self)}
        if name not in values:
            raise UnknownPreferenceError(name=name, known=NAMES)
        value = values[name]
        if isinstance(value, bool):
            return "on" if value else "off"
        return ALL if value is None else str(value)

    def with_value(self, name: str, text: str) -> Preferences:
        """These with one changed; a switch without a text is turned over.

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
