"""Arrow Flight SQL from Python. The public path of `deltasql.clients.server`, without code of its own."""
