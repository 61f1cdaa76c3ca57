"""The paper's tables, made again by one command: plan, run, report."""
