"""A SQL warehouse within a process, for tests: see `deltasql.clients.warehouse.service`."""

from deltasql.clients.warehouse.service import Address, Settings, running

__all__ = ["Address", "Settings", "running"]
