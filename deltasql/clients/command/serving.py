"""The options of `deltasql serve`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from deltasql.clients.command.configuration import catalog_option


def add_catalog(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """The option that names the current catalog, or configures an external one."""
    parser.add_argument(
        "--catalog",
        metavar="NAME",
        action="append",
        type=_catalog,
        default=default,
        help="the current catalog, or an external one: NAME=TYPE,OPTION=VALUE; repeatable (spark_catalog)",
    )


def _catalog(text: str) -> tuple[str, Mapping[str, str]]:
    """The name of a catalog, and its configuration if `text` has one. Raises ArgumentTypeError."""
    if "=" not in text:
        return text, {}
    try:
        return catalog_option(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_options(serve: argparse.ArgumentParser) -> None:
    """Where, what and for whom to serve."""
    serve.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="where to listen (%(default)s)")
    serve.add_argument("--port", metavar="N", type=int, default=31337, help="0 is a free one (%(default)s)")
    serve.add_argument("--warehouse", metavar="DIR", default=argparse.SUPPRESS, help="tables and catalog")
    add_catalog(serve, default=argparse.SUPPRESS)
    serve.add_argument("--token-file", metavar="FILE", help="whose text clients must give")
    serve.add_argument("--tls-certificate", metavar="FILE", help="in PEM, with --tls-key")
    serve.add_argument("--tls-key", metavar="FILE", help="in PEM, with --tls-certificate")
