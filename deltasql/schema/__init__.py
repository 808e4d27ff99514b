"""Data types, schemas and pure functions over them: JSON, paths, edits, evolution, mapping, widening, text.

Knows no table, no log and no statement.
"""
