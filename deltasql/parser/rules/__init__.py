"""What rules mean that are neither a node nor a list: one module per grammar file, loaded when it is first needed.

A rule whose children are the fields of its node needs nothing here. What only a table can tell is left to `planner`.
"""
