"""Checks of SQL that run nothing: see `deltasql.clients.checking`."""

from deltasql.clients.checking import *  # noqa: F403
