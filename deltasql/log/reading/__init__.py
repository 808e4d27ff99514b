"""Further queries on a log: streams, change data feed, unused and missing files, clustering.

The state of one version is in `replay`. This package is read-only.
"""
