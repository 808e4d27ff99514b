"""The logical plan: one frozen node per statement, in one module per family.

The docstring of a node begins with its syntax. What rules make of nodes are the operators of `deltasql.plan`.
"""
