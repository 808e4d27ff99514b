"""The Spark session: started late, tuned for a statement, cancelled, and left as it was found.

Knows no table and no operator.
"""
