"""Delta's builder API for Python: see `deltasql.clients.tables`."""

from deltasql.clients.tables import *  # noqa: F403
