"""Builders for grammar rules that are neither a node nor a list: one module per grammar file, loaded on first use.

A rule whose children are the fields of its node needs no builder. Checks that depend on a table are in `planner`.
"""
