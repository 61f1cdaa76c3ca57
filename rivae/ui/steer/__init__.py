"""The Steer page."""
