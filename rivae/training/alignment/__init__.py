"""Steps on the axes of a trained model: found, folded in, undone, and how sure the axes are."""
