"""What a transaction of several statements has done to a table so far, on top of the version that it has read.

Actions that cancel or follow each other become those of one commit; the table as it would be is a Snapshot like any
other. Nothing here is written to the log, and nothing here knows what a statement is.
"""
