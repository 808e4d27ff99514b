"""Unity Catalog over REST: names, credentials for the storage of tables, and commits of managed tables.

Source: unitycatalog/unitycatalog, api/all.yaml, api/delta.yaml, spec/protocols/ManagedTablesSpec.md.
"""
