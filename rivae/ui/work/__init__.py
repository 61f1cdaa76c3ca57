"""Work in processes of its own that a page watches, and what became of it."""
