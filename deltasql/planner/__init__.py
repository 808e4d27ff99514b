"""Code that the rules of several families of statements share: a Context of tables, plans, binding, values of columns.

A rule reads a Context and changes nothing. Its plan is run by `session.execution`.
"""
