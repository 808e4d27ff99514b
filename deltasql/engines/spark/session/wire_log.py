"""The log of what PySpark sends to its JVM, which holds whole commands at the level DEBUG: without lent credentials."""

from __future__ import annotations

import logging

from deltasql.errors.secrets import without_concealed

_LOGGERS = ("py4j.clientserver", "py4j.java_gateway")


def conceal_in_wire_log() -> None:
    """Has secrets of `errors.secrets.conceal` removed from that log from now on. Idempotent."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_without_secrets)


def _without_secrets(record: logging.LogRecord) -> bool:
    record.msg, record.args = without_concealed(record.getMessage()), ()
    return True
