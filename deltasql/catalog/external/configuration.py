"""Configuration of external catalogs: mappings, options of the command line, and settings of a Spark session.

The types of external catalogs, with the options of each, and the module that opens it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from deltasql.base.errors.external_catalog import CatalogConfigurationError
from deltasql.base.errors.secrets import conceal, is_secret
from deltasql.base.errors.suggestion import similar_names
from deltasql.catalog.entries import DEFAULT_CATALOG
from deltasql.catalog.information import SYSTEM

Catalogs: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Options of external catalogs by name: `{"main": {"type": "unity", "uri": …, "token": …}}`."""

TYPE = "type"
_VARIABLE = re.compile(r"\$\{env:(?P<name>\w+)\}")
_SPARK = "spark.sql.catalog."
_OF_SPARK = {"io.unitycatalog.spark.UCSingleCatalog": "unity"}
"""Types by the class that a Spark session has for a catalog."""
_SPARK_NAMES = {
    "auth.token": "token",
    "auth.oauth.uri": "oauth_uri",
    "auth.oauth.clientId": "client_id",
    "auth.oauth.clientSecret": "client_secret",
}
"""Options by their names in Spark's settings, where the two differ."""


@dataclass(frozen=True, slots=True)
class CatalogOptions:
    """The configuration of one external catalog; its name is in lower case. Options may be secrets."""

    name: str
    type: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    def get(self, option: str) -> str | None:
        """The value of an option; None if it is not set, or empty."""
        return self.options.get(option) or None

    def seconds(self, option: str, default: float) -> float:
        """An option that is a number of seconds. Raises CatalogConfigurationError."""
        text = self.get(option)
        try:
            value = default if text is None else float(text)
        except ValueError:
            value = -1.0
        if not 0 < value < float("inf"):
            raise CatalogConfigurationError(catalog=self.name, reason=f"{option} must be a positive number of seconds")
        return value


def configured(catalogs: Catalogs | None) -> dict[str, CatalogOptions]:
    """The external catalogs of a mapping, checked, by name. Raises CatalogConfigurationError."""
    found: dict[str, CatalogOptions] = {}
    if not isinstance(catalogs or {}, Mapping):
        raise CatalogConfigurationError(catalog="catalogs", reason="it is no mapping of names to options")
    for name, options in (catalogs or {}).items():
        if not isinstance(name, str):
            raise CatalogConfigurationError(catalog=str(name), reason="its name is no text")
        if name.lower() in found:
            raise CatalogConfigurationError(catalog=name, reason="it is configured twice")
        found[name.lower()] = _checked(name, options)
    return found


def _checked(name: str, options: Any) -> CatalogOptions:
    if name.lower() in {DEFAULT_CATALOG, SYSTEM} or not re.fullmatch(r"[^\x00-\x20./\x7f]+", name):
        raise CatalogConfigurationError(catalog=name, reason="an external catalog cannot have this name")
    if not isinstance(options, Mapping):
        raise CatalogConfigurationError(catalog=name, reason="its configuration is no mapping of options")
    given = ((str(key), value) for key, value in options.items() if value is not None)
    texts = {key: _text(name, key, value).strip() for key, value in given}
    type_name = texts.pop(TYPE, "").lower()
    if type_name not in TYPES:
        reason = f"there is no type {type_name} of catalogs" if type_name else "it has no type"
        raise CatalogConfigurationError(catalog=name, reason=f"{reason}; types are {', '.join(sorted(TYPES))}")
    _check_options(name, type_name, texts)
    for option, text in texts.items():
        if is_secret(option):
            conceal(text)
    return CatalogOptions(name.lower(), type_name, texts)


def _check_options(name: str, type_name: str, options: Mapping[str, str]) -> None:
    """Raises CatalogConfigurationError for an option that the type does not have, and for one that it lacks."""
    kind = TYPES[type_name]
    for option in options:
        if option not in kind.options:
            close = similar_names(option, kind.options)
            advice = f"did you mean {close[0]}" if close else f"options are {', '.join(sorted(kind.options))}"
            raise CatalogConfigurationError(catalog=name, reason=f"{type_name} has no option {option} ({advice})")
    missing = [option for option in kind.needed if not options.get(option)]
    if missing:
        raise CatalogConfigurationError(catalog=name, reason=f"its option {missing[0]} is missing")


def _text(catalog: str, option: str, value: Any) -> str:
    """The value of an option as text; `${env:NAME}` is a variable of the environment."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    variable = _VARIABLE.fullmatch(text)
    if variable is None:
        return text
    if variable["name"] not in os.environ:
        reason = f"its option {option} is the variable {variable['name']}, which the environment does not have"
        raise CatalogConfigurationError(catalog=catalog, reason=reason)
    return os.environ[variable["name"]]


def of_spark(settings: Iterable[tuple[str, str]]) -> dict[str, dict[str, str]]:
    """The external catalogs of a Spark session's settings; options that are unknown are the connector's own."""
    values = {key.removeprefix(_SPARK): value for key, value in settings if key.startswith(_SPARK)}
    found: dict[str, dict[str, str]] = {}
    for name, implementation in values.items():
        kind = _OF_SPARK.get(implementation)
        # Spark needs an implementation of its own catalog, which stays that of the warehouse.
        if kind is None or name == DEFAULT_CATALOG:
            continue
        given = {key.removeprefix(f"{name}."): value for key, value in values.items() if key.startswith(f"{name}.")}
        options = {_SPARK_NAMES.get(key, key): value for key, value in given.items()}
        found[name] = {TYPE: kind, **{key: value for key, value in options.items() if key in TYPES[kind].options}}
    return found


@dataclass(frozen=True, slots=True)
class CatalogType:
    """A type of external catalogs.

    `opener` is a function of `module` that makes a store of the CatalogOptions of a catalog; a package that `module`
    imports and that is missing is installed by `extra`. `needed` are options that must be there.
    """

    module: str
    opener: str
    needed: tuple[str, ...]
    others: tuple[str, ...]
    extra: str

    @property
    def options(self) -> frozenset[str]:
        return frozenset((*self.needed, *self.others))


TYPES: Mapping[str, CatalogType] = {
    "unity": CatalogType(
        "deltasql.catalog.external.unity.store",
        "UnityStore",
        needed=("uri",),
        others=("token", "client_id", "client_secret", "oauth_uri", "scope", "catalog", "timeout"),
        extra="unity",
    ),
    "hive": CatalogType(
        "deltasql.catalog.external.hive.client",
        "HiveStore",
        needed=("uri",),
        others=("user", "timeout"),
        extra="hive",
    ),
    "glue": CatalogType(
        "deltasql.catalog.external.glue.client",
        "GlueStore",
        needed=(),
        others=(
            *("region", "endpoint", "profile", "access_key_id", "secret_access_key", "session_token"),
            *("catalog_id", "warehouse", "timeout"),
        ),
        extra="glue",
    ),
}
"""Types by their names in configurations."""
