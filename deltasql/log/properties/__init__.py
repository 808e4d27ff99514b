"""Table properties: which there are, and those of one table with their types.

Which of them a table may have together, and which protocol they need, is judged in `configuration`.
"""
