"""Data types, schemas and pure functions over them: JSON, paths, edits, evolution, mapping, widening, text.

Independent of tables, logs and statements.
"""
