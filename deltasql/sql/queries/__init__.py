"""SELECT statements in the user's text: their relations, filters, columns, plain forms and estimated rows.

Each module reads as much of a query as its question needs, by a cursor over tokens. Where the text is beyond it, the
answer is that it is not known, and the engine decides.
"""
