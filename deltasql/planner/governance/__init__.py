"""Parts of statements about privileges, owners, row filters and column masks: the setting that refuses, ignores or
records them, the objects that they name, and the functions that filters and masks call.

The rules of the statements are in `statements.rules.governance`, the records in the catalog.
"""
