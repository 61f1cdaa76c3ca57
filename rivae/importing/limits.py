"""How much of a stranger's file is taken: far beyond real recipes, far below what hurts."""

MAX_TITLE = 500  # characters
MAX_LINE = 5_000  # characters of one ingredient or step
MAX_LINES = 500  # ingredients, steps or tags of one record
MAX_TEXT = 200_000  # characters of a record together
MAX_PICTURE_BYTES = 64 * 2**20  # of one encoded picture
MIN_PAIRS = 30  # fewer cannot be split, trained on and measured
PAPER_LINES = 20  # the paper's filter: 1-20 ingredients and 1-20 instructions
