"""Privileges, owners, row filters, column masks, and securables without data: they become records in the catalog.

Clauses of CREATE TABLE are those of `planner.statements.definitions`; rows are restricted in `planner.binding`.
"""
