"""A language server for SQL files over stdin and stdout: errors, completion, hover text, help on errors.

The errors are found in `checking`, and the words of completion in `repl`.
"""

from __future__ import annotations

from deltasql.clients.language_server.server import serve

__all__ = ["serve"]
