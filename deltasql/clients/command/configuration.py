"""The configuration file, `~/.config/deltasql/config.toml`, and values given as NAME=VALUE."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from deltasql.base.errors.suggestion import similar_names
from deltasql.base.errors.usage import ConfigurationFileError
from deltasql.base.settings.session_settings import SETTINGS
from deltasql.files.render import FORMATS

_SHELL = ("pager", "progress", "confirm", "timing", "rows")
_TEXTS = ("warehouse", "catalog", "remote", "format")
_TABLES = ("shell", "conf", "define", "catalogs")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d*)(\.\d+)?")
_OF_PYSPARK = "pyspark-shell"
_OURS = ("deltasql.", "spark.databricks.delta.")


@dataclass(frozen=True, slots=True)
class Configuration:
    """Content of the configuration file: `shell` are preferences by name, `conf` and `define` as the options."""

    warehouse: str | None = None
    catalog: str | None = None
    remote: str | None = None
    format: str | None = None
    shell: Mapping[str, str] = field(default_factory=dict)
    conf: Mapping[str, str] = field(default_factory=dict)
    define: Mapping[str, Any] = field(default_factory=dict)
    catalogs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    """External catalogs by name."""


def user_file() -> Path:
    """The path of the user's configuration file, which need not exist."""
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "deltasql" / "config.toml"


def read_configuration(path: Path, *, needed: bool = False) -> Configuration:
    """The configuration in a file; empty if it is missing and not `needed`. Raises ConfigurationFileError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError) as error:
        if needed:
            raise ConfigurationFileError(path=str(path), reason=error.strerror or str(error)) from None
        return Configuration()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationFileError(path=str(path), reason=str(error)) from None
    try:
        return _checked(_toml(text))
    except ValueError as error:
        raise ConfigurationFileError(path=str(path), reason=str(error).rstrip(".")) from None


def _toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    values: dict[str, Any] = tomllib.loads(text)
    return values


def _checked(values: dict[str, Any]) -> Configuration:
    """The configuration of parsed TOML. Raises ValueError for unknown settings and values of wrong types."""
    _check_names("", values, (*_TEXTS, *_TABLES))
    for name in _TEXTS:
        if not isinstance(values.get(name, ""), str):
            raise ValueError(f"{name} must be a text")
    for name in _TABLES:
        if not isinstance(values.get(name, {}), dict):
            raise ValueError(f"{name} must be a table, [{name}]")
    if values.get("format", FORMATS[0]) not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}")
    _check_names("shell.", values.get("shell", {}), _SHELL)
    warehouse = values.get("warehouse")
    return Configuration(
        warehouse if warehouse is None or "://" in warehouse else str(Path(warehouse).expanduser()),
        values.get("catalog"),
        values.get("remote"),
        values.get("format"),
        {name: _text(value) for name, value in values.get("shell", {}).items()},
        {name: _text(value) for name, value in _flat(values.get("conf", {}))},
        values.get("define", {}),
        _catalogs(values.get("catalogs", {})),
    )


def with_catalogs(
    configuration: Configuration, given: Sequence[tuple[str, Mapping[str, Any]]]
) -> tuple[str | None, dict[str, Mapping[str, Any]]]:
    """The current catalog, and the external ones: of the option --catalog, else of the file."""
    external = {**configuration.catalogs, **{name: catalog for name, catalog in given if catalog}}
    return next((name for name, catalog in reversed(given) if not catalog), configuration.catalog), external


def _catalogs(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The external catalogs, each a table. Raises ValueError."""
    for name, options in values.items():
        if not isinstance(options, dict):
            raise ValueError(f"catalogs.{name} must be a table, [catalogs.{name}]")
    return {name: dict(_flat(options)) for name, options in values.items()}


def _check_names(section: str, values: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in values:
        if name not in names:
            close = similar_names(name, names)
            advice = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
            raise ValueError(f"there is no setting {section}{name}; {advice}")


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Settings with dotted keys: TOML parses unquoted keys with dots as nested tables."""
    pairs: list[tuple[str, Any]] = []
    for name, value in values.items():
        pairs += _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else [(prefix + name, value)]
    return pairs


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def pair(text: str) -> tuple[str, str]:
    """NAME=VALUE. Raises ValueError."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"'{text}' is not NAME=VALUE")
    return name.strip(), value


def parameter(text: str) -> tuple[str, Any]:
    """NAME=VALUE of a parameter: a number, true, false or null if it has that form; in quotes always a text.

    Raises ValueError.
    """
    name, value = pair(text)
    words: dict[str, bool | None] = {"true": True, "false": False, "null": None}
    if value.lower() in words:
        return name, words[value.lower()]
    if number := _NUMBER.fullmatch(value):
        return name, Decimal(value) if number[1] else int(value)
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return name, value[1:-1] if quoted else value


def catalog_option(text: str) -> tuple[str, dict[str, str]]:
    r"""The catalog that `NAME=TYPE,OPTION=VALUE,…` configures. A comma in a value is written `\,`.

    Raises ValueError.
    """
    name, _, rest = text.partition("=")
    kind, *pairs = (part.replace("\\,", ",") for part in re.split(r"(?<!\\),", rest))
    options = {"type": kind.strip()}
    for item in pairs:
        option, equals, value = item.partition("=")
        if not equals or not option.strip():
            raise ValueError(f"the options of catalog {name} are not OPTION=VALUE,OPTION=VALUE,…")
        options[option.strip()] = value
    if not name.strip() or "," in name or not options["type"] or "=" in options["type"]:
        raise ValueError("a catalog is configured as NAME=TYPE,OPTION=VALUE,…")
    return name.strip(), options


def split_settings(settings: Mapping[str, str], *, remote: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Settings for SET, and settings that Spark must be started with; all are for SET if Spark is `remote`."""
    by_set = {key: value for key, value in settings.items() if remote or key in SETTINGS or key.startswith(_OURS)}
    return by_set, {key: value for key, value in settings.items() if key not in by_set}


def give_to_spark(settings: Mapping[str, str], environment: dict[str, str] | os._Environ[str]) -> None:
    """Adds `settings` to the environment for a Spark that this process starts; they override existing ones."""
    remaining = dict(settings)
    master = remaining.pop("spark.master", None)
    if master is not None:
        environment["DELTASQL_MASTER"] = master
    if remaining:
        words = [word for key, value in remaining.items() for word in ("--conf", f"{key}={value}")]
        # The last of several settings with one key counts, and the argument pyspark-shell must be at the end.
        submitted = environment.get("PYSPARK_SUBMIT_ARGS", "").strip().removesuffix(_OF_PYSPARK)
        environment["PYSPARK_SUBMIT_ARGS"] = f"{submitted.strip()} {shlex.join(words)} {_OF_PYSPARK}".strip()
