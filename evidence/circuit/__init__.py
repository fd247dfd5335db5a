"""The circuit check of agent runs: a client that knows the way walks it, and compares what was recorded of it.

It proves that recording works and says nothing of any agent. Standard library alone, no database.
"""
