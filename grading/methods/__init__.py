"""The methods whose records become figures: one module each, what these count with, and the table of them."""

from grading.methods import agent_run, hallucination

# Of each method the class whose objects watch the records of a package pass and then measure them. A method added here
# is added to evidence.records.METHODS too; a test compares the two.
METHODS = {"hallucination": hallucination.Grader, "agent_run": agent_run.Grader}
