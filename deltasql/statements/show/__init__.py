"""Tables, statements and conflicts as rows and texts of SHOW, DESCRIBE and EXPLAIN.

The rules of these statements are in `statements.rules/describe`.
"""
