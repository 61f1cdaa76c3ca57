"""Tasks in separate processes, and messages about what a visitor did."""
