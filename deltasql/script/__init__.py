"""Scripts: BEGIN … END, read into a tree and run statement by statement through a session.

The session is a `host` here. What a statement means is none of this room's business: it stays text with its place.
"""
