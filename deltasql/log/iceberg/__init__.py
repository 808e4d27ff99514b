"""Iceberg metadata beside a table's log, so that readers of Iceberg see the same files.

Only this package imports PyIceberg, and only when a commit is to be converted. Source: Apache Iceberg table spec, V2.
"""
