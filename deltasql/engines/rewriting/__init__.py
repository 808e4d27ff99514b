"""Steps of a rewrite that do not depend on who evaluates its expressions: stages, row indexes, stored rows, outcomes.

In-process evaluation and Spark are built on them; what a statement changes is decided by the planner.
"""
