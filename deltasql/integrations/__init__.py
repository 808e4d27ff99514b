"""Integrations with other tools: each folder implements the interface of one of them over a session's public methods.

Independent of tables, plans and logs. Nothing of deltasql imports from this package.
"""
