"""Checks of SQL that run nothing: see `deltasql.clients.checking`."""

from deltasql.clients.checking import Checker, Finding

__all__ = ["Checker", "Finding"]
