"""The panels in the browser: components, links, questions and answers."""
