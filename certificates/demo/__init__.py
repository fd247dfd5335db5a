"""Demonstration data: a fictitious norm, systems that err in known ways, and a life for each certificate."""
