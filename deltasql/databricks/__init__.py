"""The surface of the Databricks SQL connector for Python, over tables of this machine.

`from deltasql.databricks import sql` takes the place of `from databricks import sql`. Here belongs what that package's
callers see, and nothing that the PEP's own module, `deltasql.dbapi`, has. Names and arguments are those of version 4.
"""
