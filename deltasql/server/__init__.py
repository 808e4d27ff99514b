"""Arrow Flight SQL in front of deltasql: what ADBC and JDBC clients ask, as statements of sessions, one per client.

`command` is what `deltasql serve` runs, `flight` the service, `messages` what goes over the wire. How statements are
planned and run is the session's; nothing here knows Spark.
"""
