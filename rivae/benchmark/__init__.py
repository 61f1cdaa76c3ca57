"""The paper's tables, reproduced by one command: plan, run, report."""
