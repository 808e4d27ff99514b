"""Errors of external catalogs: their configuration, what they cannot do, and their servers."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition
from deltasql.base.errors.usage import UsageError


@condition(
    "INVALID_CATALOG_CONFIGURATION",
    "22023",
    "The external catalog {catalog} cannot be used: {reason}.",
    remedy="Correct its entry in `catalogs`, in [catalogs] of the file of settings, or in --catalog.",
)
class CatalogConfigurationError(UsageError):
    """The configuration of an external catalog has no type, an unknown type or option, or lacks an option."""

    catalog: str
    reason: str


@condition(
    "CATALOG_LIBRARY_MISSING",
    "0A000",
    "The catalog {catalog} of type {type} needs the package {package}, which is not installed. "
    "Run: pip install 'deltasql[{extra}]'",
)
class CatalogLibraryMissingError(DeltaSqlError):
    """The library that an external catalog of this type needs is not installed."""

    catalog: str
    type: str
    package: str
    extra: str


@condition(
    "UNSUPPORTED_FEATURE.CATALOG_OPERATION",
    "0A000",
    "The catalog {catalog}, of type {type}, does not support {operation}.",
    remedy="Use a catalog of the warehouse, such as spark_catalog, or the tools of the external catalog.",
)
class CatalogOperationError(DeltaSqlError):
    """A statement needs something that an external catalog cannot do, or that deltasql cannot do with it."""

    catalog: str
    type: str
    operation: str


@condition(
    "UNSUPPORTED_FEATURE.RENAME_ACROSS_CATALOGS",
    "0A000",
    "{table} cannot be renamed to {new_name}: the names are in different systems ({system} and {new_system}).",
    remedy="Create the table there instead: CREATE TABLE … CLONE, or CREATE TABLE … USING delta LOCATION.",
)
class RenameAcrossCatalogsError(DeltaSqlError):
    """RENAME TO a name in another system: from the warehouse to an external catalog, back, or between two of them."""

    table: str
    new_name: str
    system: str
    new_system: str


@condition(
    "CATALOG_UNAVAILABLE",
    "08001",
    "The catalog {catalog} ({type} at {uri}) does not answer: {reason}.",
    remedy="Check that its server runs and can be reached from this machine, then run the statement again.",
)
class CatalogUnavailableError(DeltaSqlError):
    """The server of an external catalog cannot be reached, is overloaded, or does not answer in time."""

    catalog: str
    type: str
    uri: str
    reason: str


@condition(
    "CATALOG_ACCESS_DENIED",
    "42501",
    "The catalog {catalog} ({type} at {uri}) denies access: {reason}.",
    remedy="Check the token or the client secret of the catalog, and the grants of its owner.",
)
class CatalogAccessError(DeltaSqlError):
    """An external catalog rejects the identity of the session, or denies it what the statement needs."""

    catalog: str
    type: str
    uri: str
    reason: str


@condition(
    "CATALOG_REQUEST_FAILED",
    "58030",
    "The catalog {catalog} ({type} at {uri}) cannot {operation}: {reason}.",
    remedy="Read its answer; if it is one that deltasql should understand, report it.",
)
class CatalogRequestError(DeltaSqlError):
    """An external catalog answers a request with an error, or with something that is no answer to it.

    `status` and `kind` are those of the answer; `repeated`: the request had been sent before, without an answer.
    """

    catalog: str
    type: str
    uri: str
    operation: str
    reason: str
    status: int = 0
    kind: str = ""
    repeated: bool = False


@condition(
    "UNSUPPORTED_FEATURE.CATALOG_TABLE",
    "0A000",
    "{table} of a catalog of type {type} cannot be used: it is {reason}.",
    remedy="Use the system that has created it, or copy its rows into a Delta table.",
)
class CatalogTableError(DeltaSqlError):
    """A table or view of an external catalog is of a kind that deltasql cannot read."""

    table: str
    type: str
    reason: str


@condition(
    "CATALOG_ENTRY_CHANGED",
    "40001",
    "The entry of {table} cannot be changed: others have changed it at each of {attempts} attempts.",
    remedy="Run the statement again.",
)
class CatalogWritersError(DeltaSqlError):
    """Other writers change the entry of a table in an external catalog all the time."""

    table: str
    attempts: int
