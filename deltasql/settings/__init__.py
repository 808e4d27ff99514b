"""Settings of a session: what there is, what each may be, and what SET has stored.

Properties of tables are in `log.configuration`.
"""
