"""What the panels in the browser have in common: links, questions, answers, reports, components."""
