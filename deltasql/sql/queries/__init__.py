"""SELECT statements in the user's text: their relations, filters, columns, plain forms and estimated rows.

Each module reads as much of a query as it needs, by a cursor over tokens. For a text that it cannot read the result is
unknown, and the engine decides.
"""
