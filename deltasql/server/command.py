"""A server within a process, for tests: see `deltasql.clients.server.command`."""

from deltasql.clients.server.command import Settings, running

__all__ = ["Settings", "running"]
