"""What every page stands on: keys of the session, pages, theme, gate, login, opened runs."""
