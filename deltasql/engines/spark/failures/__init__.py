"""Translation of Spark's exceptions to the typed errors of deltasql, with carets in the user's SQL.

The error classes are in `base.errors`. Errors that can be detected before Spark runs are raised by the planner.
"""
