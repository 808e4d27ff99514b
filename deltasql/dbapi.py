"""PEP 249, the Python database API 2.0: see `deltasql.clients.dbapi`."""

from deltasql.clients.dbapi import *  # noqa: F403
