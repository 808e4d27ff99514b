"""Ways in for other packages. Public paths of modules of `deltasql.clients`, without code of their own."""
