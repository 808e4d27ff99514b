"""Statements by family: nodes, builders from the grammar's trees, planner rules, and the rows of SHOW and DESCRIBE.

Code that three families or more share is in `planner`.
"""
