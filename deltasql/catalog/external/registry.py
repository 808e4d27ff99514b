"""The types of external catalogs, with the options of each, and the module that opens it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
