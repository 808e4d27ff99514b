"""Statements about the session and about other statements: SET, EXECUTE IMMEDIATE, refused statements.

None of them is about one table.
"""
