"""Arrow Flight SQL over deltasql: requests of ADBC and JDBC clients become statements of sessions, one per client.

`command` is the command `deltasql serve`, `flight` the service, `messages` the encoding of requests and responses.
Statements are planned and run by the session; no module imports Spark.
"""
