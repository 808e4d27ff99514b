"""Statements that move, count or remove the files of a table, or bring old ones back.

None of them changes what a query of the table gives, but for RESTORE and FSCK, which change it by whole files.
"""
