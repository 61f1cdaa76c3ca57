"""One opened run, explored: search at any z, several axes at once, maps, paths, tours."""
