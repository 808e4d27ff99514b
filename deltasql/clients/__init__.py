"""Ways into a session: DB-API, builders, Flight SQL, shell, golden files, checks, plugins.

They call sessions and read results. How a statement is planned, run or committed is not told here.
"""
