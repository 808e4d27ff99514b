"""Ways in for other people's tools: each folder speaks the words of one of them, over a session's public methods.

Knows what a tool expects, and nothing of tables, plans or logs. Nothing of deltasql imports from here.
"""
