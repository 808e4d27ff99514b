"""Runs a plan: stages its rows, commits, tries again after a lost race, and applies what the catalog must know.

What computes rows is behind the engine's door; what a statement means was decided by the planner.
"""
