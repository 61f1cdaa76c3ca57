"""One opened run, explored: search at any z, several axes at once, maps, paths, tours, words.

Everything takes and returns arrays and plain text, to be drawn by ``figures`` and escaped by the
pages. It may import ``training`` and what is below; all rooms above may import it. Begin with
``explorer.Explorer``; ``words`` has ingredients, clouds and the names of axes.
"""
