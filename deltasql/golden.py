"""Golden files for tests in Python: see `deltasql.clients.golden`."""

from deltasql.clients.golden import *  # noqa: F403
