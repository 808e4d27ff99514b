"""Everything that reads the user's SQL text: tokens, relations, references, types and constants of expressions.

What decides something about a table does not belong here: see `planner` and `skipping`.
"""
