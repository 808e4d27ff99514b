"""Errors of one family of statements each, in a module that is called like the family's rules in `statements.rules`.

What several families or rooms raise does not belong here, but in the folder above: names, values, writes, the log, the
engine. Nothing is exported from here: callers import from the module of the family.
"""
