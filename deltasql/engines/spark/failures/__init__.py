"""What Spark raises → the typed errors of deltasql, placed in the user's own SQL.

The classes are in `deltasql.errors`. What can be seen before Spark runs is not waited for here: the planner refuses it.
"""
