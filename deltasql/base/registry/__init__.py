"""Registries of named options: the common pattern of table properties, session settings, and read and write options.

The options themselves are declared in `log.properties` and `settings`.
"""
