"""The Spark session: started late, tuned for a statement, cancelled, with its settings restored.

Independent of tables and operators.
"""
