"""The Traverse page."""
