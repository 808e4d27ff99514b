"""Privileges, owners, row filters, column masks, and securables without data: they become records in the catalog.

Clauses of CREATE TABLE are those of `statements.rules.definitions`; rows are restricted in `planner.binding`.
"""
