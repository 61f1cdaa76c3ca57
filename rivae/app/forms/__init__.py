"""The training form without its widgets: settings as fields and text, drafts, how long it takes."""
