"""What SET is given, checked before it is stored: a value that is wrong would fail every later statement."""

from __future__ import annotations

from collections.abc import Mapping

from deltasql.errors.settings import InvalidSettingError, UnknownSettingError
from deltasql.errors.suggestion import resembling
from deltasql.settings import session_settings as settings
from deltasql.settings.session_settings import CHOICES, DEFAULTS, as_boolean, as_bytes, as_choice, as_count, as_share

_COUNTS = frozenset(
    {
        *(settings.RETRY_ATTEMPTS, settings.FSCK_MOST_ROWS),
        *(settings.ROW_LEVEL_FILES, settings.ROW_LEVEL_SECONDS),
    }
)
_SIZES = frozenset({settings.ROW_LEVEL_BYTES, settings.OPTIMIZE_MIN_FILE_SIZE, settings.OPTIMIZE_MAX_FILE_SIZE})
_SHARES = frozenset({settings.OPTIMIZE_DELETED_RATIO})
_FLAGS = frozenset({settings.ZORDER_STATS_CHECK, settings.VACUUM_LOGGING, settings.IGNORE_MISSING_FILES})
_OWN = "deltasql."
_DELTA = "spark.databricks.delta."


def check_setting(key: str, value: str) -> None:
    """Raises InvalidSettingError for a value that `key` cannot have, UnknownSettingError for a key of ours misspelt."""
    if key == settings.TIME_ZONE and value[:1] in {"'", '"'}:
        raise InvalidSettingError(key, value, "a name without quotes, such as UTC or Europe/Paris")
    if key in CHOICES:
        as_choice(key, value)
    elif key in _COUNTS:
        as_count(key, value)
    elif key in _SIZES:
        as_bytes(key, value)
    elif key in _SHARES:
        as_share(key, value)
    elif key in _FLAGS or DEFAULTS.get(key) in {"true", "false"}:
        as_boolean(key, value)
    elif key.startswith((_OWN, _DELTA)):
        _refuse_misspelt(key)


def _refuse_misspelt(key: str) -> None:
    known = _known()
    if key in known or key.startswith(settings.PROPERTY_DEFAULTS):
        return
    near = resembling(key.upper(), known.values())
    if near:
        meant = next(name for name, upper in known.items() if upper == near[0])
        raise UnknownSettingError(key, f"Did you mean {meant}?")
    if key.startswith(_OWN):
        raise UnknownSettingError(key, f"Those of deltasql are: {', '.join(sorted(_own(known)))}.")


def _known() -> Mapping[str, str]:
    """All keys that deltasql looks at, with their capitals."""
    values = (value for name, value in vars(settings).items() if name.isupper() and isinstance(value, str))
    return {value: value.upper() for value in values if "." in value}


def _own(known: Mapping[str, str]) -> list[str]:
    return [key for key in known if key.startswith(_OWN)]
