"""Arbitration of commits to one version: by the file system, or by a catalog that ratifies them.

What a commit holds is not decided here, nor where the catalog keeps what it has ratified.
"""
