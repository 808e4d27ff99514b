"""Table properties: the registry of all, and the typed values of one table.

Which of them a table may have together, and which protocol they need, is decided in `configuration`.
"""
