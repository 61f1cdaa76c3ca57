"""What every page uses: session keys, the pages, safe text, the gate, the login, opened runs."""
