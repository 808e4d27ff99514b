"""Values of columns: aligned with their types, defaults, generated and identity columns, CHAR, and literal rows.

Which rows a statement changes, and how, is in `planner/rows`.
"""
