"""What embedders start from beside their seeds: word vectors of the data, weights out of a file.

A method sees the shapes of its data only, so here is also where kinds of data and of embedders
are matched: word numbers have the shape of any vector.
"""

from __future__ import annotations

from collections.abc import Sequence

from rivae.data.base import PairedDataset
from rivae.data.tokens import TokensView
from rivae.errors import ConfigError
from rivae.methods.base import Method
from rivae.nets.recipe_rnn import RecipeRNN
from rivae.nets.resnets import ResNet50Attention
from rivae.training.checkpoint import has_checkpoint
from rivae.training.job import Job


def check_views(method: Method, data: PairedDataset) -> None:
    """Word numbers belong to embedders that read them, and to no others.

    Raises:
        ConfigError: otherwise.
    """
    for side, view in ((1, data.x1), (2, data.x2)):
        reads_words = isinstance(getattr(method, f"embedder{side}", None), RecipeRNN)
        is_words = isinstance(view, TokensView)
        if is_words and not reads_words:
            raise ConfigError(
                f"{method.title} would take word numbers for measurements: set the embedder's "
                "kind to recipe-rnn where the method has one, or dataset.text=words"
            )
        if reads_words and not is_words:
            raise ConfigError("recipe-rnn reads word numbers: set dataset.text=tokens")
        if is_words and method.smooth_target_dim() is not None:
            raise ConfigError(
                "word numbers cannot be unfolded for a smooth start: set init=cos-sim-lvm"
            )


def start_embedders(method: Method, jobs: Sequence[Job]) -> None:
    """Give the embedders of a method with fresh weights what they start from.

    Not for runs with a checkpoint: they have trained on, and may have outlived their files.

    Raises:
        ConfigError, DataError: when embedders and data do not match, or word vectors or weights
            are missing or do not fit.
    """
    data = jobs[0].data
    check_views(method, data)
    if all(has_checkpoint(job.checkpoint) for job in jobs):
        return
    for side, view in ((1, data.x1), (2, data.x2)):
        embedder = getattr(method, f"embedder{side}", None)
        if isinstance(embedder, ResNet50Attention):
            embedder.load_weights()
        if isinstance(embedder, RecipeRNN) and isinstance(view, TokensView):
            embedder.check_room(len(view.vocabulary))
            vectors = view.word_vectors(embedder.words.weight.shape[1])
            if vectors is not None:
                embedder.start_from(vectors)
