"""The embedded default: PostgreSQL and Valkey from wheels, and the processes of the registry, on one machine.

`places` knows where things lie, `postgresql` and `valkey` one server each, `processes` how children start and end,
`claim` who has this data folder, `environment` what a child is told, `commands` what script/… asks for.
"""
