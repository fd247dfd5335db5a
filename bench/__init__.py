"""Benchmarks: each module measures one piece of work beside what it is compared with, as rows of one table.

A module `bench/NAME.py` has `rows() -> Iterator[Row]`; `script/bench NAME` runs it, `script/bench` runs all.
"""
