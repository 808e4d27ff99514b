"""Steps of a rewrite that are independent of its evaluator: stages, row indexes, stored rows, outcomes.

In-process evaluation and Spark are built on them; the rows to change are decided by the planner.
"""
