"""Runs a plan: stages its rows, commits, retries after a lost race, and updates the catalog.

Rows are computed by the engine; the meaning of a statement was decided by the planner.
"""
