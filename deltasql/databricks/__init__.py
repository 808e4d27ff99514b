"""The interface of the Databricks SQL connector for Python, over tables of this machine.

`from deltasql.databricks import sql` replaces `from databricks import sql`. Only the connector's own names and
arguments (of version 4) are in this package; those of PEP 249 are in `deltasql.clients.dbapi`.
"""
