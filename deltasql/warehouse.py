"""A SQL warehouse within a process, for tests: see `deltasql.clients.warehouse.service`."""

from deltasql.clients.warehouse.service import Address, WarehouseSettings, running

__all__ = ["Address", "WarehouseSettings", "running"]
