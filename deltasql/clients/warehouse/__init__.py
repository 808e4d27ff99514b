"""A SQL warehouse for the clients of Databricks: Thrift and REST over HTTP. Statements are run by sessions.

Arrow Flight SQL is in `server`, and what drivers of PEP 249 share in `dbapi`.
"""
