"""The measuring client: asks a system over HTTP, has its answers judged, and writes an evidence package. Offline.

Standard library alone, but for jmespath and rfc8785, which are pure Python: it also runs as one file without anything
installed. Nothing here imports Django or a database.
"""
