"""What a table, a session, a read or a write can be told by name: the pattern that their registries share.

What there is to be told is declared in `log.properties` and `settings`.
"""
