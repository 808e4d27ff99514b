"""Statements about the session and about other statements: SET, EXECUTE IMMEDIATE, what is refused.

None of them is about one table.
"""
