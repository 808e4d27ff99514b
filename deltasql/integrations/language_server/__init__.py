"""A language server for SQL files over stdin and stdout: errors, completion, hover text, help on errors.

Its protocol is that of editors: https://microsoft.github.io/language-server-protocol
"""

from __future__ import annotations

from deltasql.integrations.language_server.server import serve

__all__ = ["serve"]
