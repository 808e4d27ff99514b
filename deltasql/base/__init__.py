"""Foundations: errors, options and settings, time zones, packages that are imported late, interrupts and progress.

Nothing here knows tables, SQL or engines.
"""
