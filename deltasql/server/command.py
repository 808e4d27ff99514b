"""A server within a process, for tests: see `deltasql.clients.server.flight`."""

from deltasql.clients.server.flight import Settings, running

__all__ = ["Settings", "running"]
