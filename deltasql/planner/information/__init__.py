"""Rows of the information schema: one module per group of views, and `rows`, which dispatches to them.

Names and columns of the views are in `catalog.information`. Nothing here starts an engine.
"""
