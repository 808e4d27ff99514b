"""Scripts: BEGIN … END, parsed to a tree and run statement by statement through a session.

The session is used through the interface `host`. Statements stay text with positions, and are planned by the session.
"""
