"""Types and dialect of SQLAlchemy: see `deltasql.clients.sqlalchemy`."""

from deltasql.clients.sqlalchemy import *  # noqa: F403
