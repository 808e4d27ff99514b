"""The options of `deltasql serve`."""

from __future__ import annotations

import argparse


def add_options(serve: argparse.ArgumentParser) -> None:
    """Where, what and for whom to serve."""
    serve.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="where to listen (%(default)s)")
    serve.add_argument("--port", metavar="N", type=int, default=31337, help="0 is a free one (%(default)s)")
    serve.add_argument("--warehouse", metavar="DIR", default=argparse.SUPPRESS, help="tables and catalog")
    serve.add_argument("--catalog", metavar="NAME", default=argparse.SUPPRESS, help="the current catalog of sessions")
    serve.add_argument("--token-file", metavar="FILE", help="whose text clients must give")
    serve.add_argument("--tls-certificate", metavar="FILE", help="in PEM, with --tls-key")
    serve.add_argument("--tls-key", metavar="FILE", help="in PEM, with --tls-certificate")
