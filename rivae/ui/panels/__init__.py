"""What the panels in the browser have in common: components, links, questions, answers."""
