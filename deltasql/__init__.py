"""The SQL dialect of Delta Lake on stock Apache Spark."""

__version__ = "0.1.0"
