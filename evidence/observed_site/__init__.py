"""The built-in observed site: a small Spanish glossary of AI agents that runs are recorded against.

Text in, bytes out: no database, no settings, no clock. The content stands in `content/`, one file a text.
"""
