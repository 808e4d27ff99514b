"""Uncommitted changes of a multi-statement transaction to one table, on top of the version that it has read.

Actions of several statements are merged into those of one commit; the resulting state of the table is a Snapshot.
Nothing is written to the log. This package does not depend on statements.
"""
