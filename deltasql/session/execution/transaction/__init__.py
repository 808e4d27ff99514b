"""Transactions of several statements: what takes part, what each table gets, and their common commit.

How one statement is staged does not belong here.
"""
