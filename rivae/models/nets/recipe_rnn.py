"""The paper's embedder of recipes: word vectors and bi-directional RNNs (supplement, Recipe1M)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd.forward_ad import unpack_dual
from torch.nn.utils.rnn import pack_padded_sequence

from rivae.base.errors import ConfigError
from rivae.data.tokens import PADDING, RESERVED, SECTIONS
from rivae.models.nets.layers import MLP, Dropout
from rivae.models.nets.precision import low_precision

if TYPE_CHECKING:
    from rivae.models.nets.settings import EmbedderConfig


class BiGRU(nn.Module):
    """Sequences (B, T, D) to the final states of both directions, (B, 2 H).

    The forward direction ends at the last word, the backward one at the first. Weights are those
    of ``torch.nn.GRU`` (gates in the order reset, update, candidate), transposed and with the
    two directions side by side: (2, D, 3 H) and (2, H, 3 H).

    On a card PyTorch's recurrence does all steps at once. Step by step the card would wait for
    Python, but the backward pass is the faster one on a CPU, and it has forward derivatives.
    """

    def __init__(self, n_in: int, n_hidden: int) -> None:
        super().__init__()
        self.n_hidden = n_hidden
        self.weight_in = nn.Parameter(torch.empty(2, n_in, 3 * n_hidden))
        self.weight_hidden = nn.Parameter(torch.empty(2, n_hidden, 3 * n_hidden))
        self.bias_in = nn.Parameter(torch.empty(2, 1, 3 * n_hidden))
        self.bias_hidden = nn.Parameter(torch.empty(2, 1, 3 * n_hidden))

    def reset(self, generators: list[torch.Generator]) -> None:
        """PyTorch's default initialisation, U(-1/sqrt(H), 1/sqrt(H))."""
        bound = 1.0 / math.sqrt(self.n_hidden)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.uniform_(-bound, bound, generator=generators[0])

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Only the first ``lengths`` (B,) steps of a row count; a row of length 0 gives zeros."""
        if x.is_cuda and unpack_dual(x).tangent is None:
            return self.at_once(x, lengths)
        return self.by_steps(x, lengths)

    def at_once(self, x: Tensor, lengths: Tensor) -> Tensor:
        """``forward`` by PyTorch's recurrence, in the number format of the weights."""
        sequence = pack_padded_sequence(
            # A sequence has to have a step: what an empty one gives is dropped below.
            x.to(self.weight_in.dtype),
            lengths.clamp_min(1).cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        weights = [
            w
            for d in range(2)
            for w in (
                self.weight_in[d].T.contiguous(),
                self.weight_hidden[d].T.contiguous(),
                self.bias_in[d, 0],
                self.bias_hidden[d, 0],
            )
        ]
        h = self.weight_in.new_zeros(2, len(x), self.n_hidden)
        with warnings.catch_warnings(), torch.autocast(x.device.type, enabled=False):
            warnings.filterwarnings("ignore", "RNN module weights are not part of single")
            # True, 1, 0.0, True, True: biases, one layer, no dropout, with gradient, both ways.
            options = (True, 1, 0.0, True, True)
            h = torch.gru(sequence.data, sequence.batch_sizes, h, weights, *options)[1]
        ends = torch.cat([h[0], h[1]], -1)[sequence.unsorted_indices]
        return ends * (lengths > 0).unsqueeze(-1)

    def by_steps(self, x: Tensor, lengths: Tensor) -> Tensor:
        """``forward`` one step after the other."""
        # Longest first: the rows that still have words are then the first ones at every step.
        order = lengths.argsort(descending=True, stable=True)
        n_left = lengths[order]
        steps = torch.arange(int(n_left[0]), device=x.device)[:, None]
        active = (n_left > steps).sum(1).tolist()
        # The words of all steps one after the other, without padding, for either direction.
        step, row = (steps < n_left).nonzero(as_tuple=True)
        last_first = torch.stack([step, n_left[row] - 1 - step])
        gates = x[order[row], last_first] @ self.weight_in  # (2, words, 3 H)
        gates = _full(gates) + self.bias_in
        # A low-precision copy is made once, not at every step.
        is_mixed = torch.is_autocast_enabled(x.device.type)
        dtype = torch.get_autocast_dtype(x.device.type) if is_mixed else self.weight_hidden.dtype
        weight = self.weight_hidden.to(dtype)
        h = x.new_zeros(2, len(x), self.n_hidden)
        for n, gate in zip(active, gates.split(active, 1), strict=True):
            old = h[:, :n]
            new = self._step(gate, _full(old @ weight) + self.bias_hidden, old)
            h = new if n == len(x) else torch.cat([new, h[:, n:]], 1)
        return torch.cat([h[0], h[1]], -1)[order.argsort()]

    def _step(self, from_input: Tensor, from_state: Tensor, old: Tensor) -> Tensor:
        two = 2 * self.n_hidden
        reset, update = (from_input[..., :two] + from_state[..., :two]).sigmoid().chunk(2, -1)
        candidate = (from_input[..., two:] + reset * from_state[..., two:]).tanh()
        return candidate + update * (old - candidate)


def _full(x: Tensor) -> Tensor:
    """bfloat16 as float32: the state adds up over hundreds of steps."""
    return x.float() if x.dtype == torch.bfloat16 else x


class WordTable(nn.Module):
    """Word vectors (n_words + 2, D); row 0, the padding, stays zero."""

    def __init__(self, n_words: int, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_words + RESERVED, dim))

    def reset(self, generators: list[torch.Generator]) -> None:
        """Standard normal, PyTorch's default."""
        with torch.no_grad():
            self.weight.normal_(generator=generators[0])
            self.weight[PADDING] = 0.0

    def forward(self, numbers: Tensor) -> Tensor:
        return nn.functional.embedding(numbers, self.weight, padding_idx=PADDING)


class RecipeRNN(nn.Module):
    """Word numbers (..., B, L) of title, ingredients and instructions to unit vectors (..., B, D).

    One bi-directional RNN per section, whose final states, 2 H each, go side by side into fully
    connected layers. The parts of a forward pass, ``word_vectors`` and ``from_vectors``, are public
    for L_Reg, which perturbs word vectors.
    """

    def __init__(self, shape: tuple[int, ...], dim_v: int, config: EmbedderConfig) -> None:
        super().__init__()
        if shape != (sum(SECTIONS),):
            raise ConfigError(
                f"recipe-rnn reads {sum(SECTIONS)} word numbers, these items have shape {shape}: "
                "set dataset.text=tokens, or another kind of embedder"
            )
        self.autocast = False
        self.words = WordTable(config.n_words, config.word_dim)
        self.dropout = Dropout(config.dropout)
        self.sections = nn.ModuleList(BiGRU(config.word_dim, config.rnn_size) for _ in SECTIONS)
        n_features = len(SECTIONS) * 2 * config.rnn_size
        self.head = MLP(
            n_features,
            config.hidden,
            dim_v,
            config.activation,
            None,
            config.dropout,
            config.input_dropout,
        )

    def check_room(self, n_words: int) -> None:
        """Raises: ConfigError: when the data have more words than the table has rows for."""
        room = len(self.words.weight) - RESERVED
        if n_words > room:
            raise ConfigError(
                f"the texts have {n_words:,} words, recipe-rnn has room for {room:,}: set its "
                f"n_words to dataset.max_words, or max_words to {room}"
            )

    @torch.no_grad()
    def start_from(self, vectors: NDArray[np.float32]) -> None:
        """Start from word vectors (n, D) of the first n rows; rows of zeros keep random ones."""
        initial = torch.from_numpy(vectors).to(self.words.weight)
        rows = initial.any(1).nonzero().flatten()
        self.words.weight[rows] = initial[rows]

    def word_vectors(self, x: Tensor) -> Tensor:
        """The vectors of word numbers ``x`` (..., L), shape (..., L, D)."""
        vectors: Tensor = self.words(x.long())
        return vectors

    def from_vectors(self, vectors: Tensor, x: Tensor) -> Tensor:
        """The embedding of texts ``x`` whose words have the vectors given."""
        lead = x.shape[:-1]
        vectors, is_word = vectors.reshape(-1, *vectors.shape[-2:]), x.reshape(-1, x.shape[-1]) != 0
        with low_precision(self, vectors):
            ends, start = [], 0
            for rnn, size in zip(self.sections, SECTIONS, strict=True):
                part = slice(start, start + size)
                ends.append(rnn(self.dropout(vectors[:, part]), is_word[:, part].sum(1)))
                start += size
            out = self.head(self.dropout(torch.cat(ends, -1)))
        if out.dtype == torch.bfloat16:
            out = out.float()
        v = nn.functional.normalize(out, dim=-1)
        return v.reshape(*lead, v.shape[-1])

    def forward(self, x: Tensor) -> Tensor:
        return self.from_vectors(self.word_vectors(x), x)


@dataclass(frozen=True)
class Perturbable:
    """A point of a continuous space, and the embedder as a function on it.

    Attributes:
        embed: (..., B, *space) to unit vectors (..., B, D).
        point: (..., B, *space); ``n_axes`` axes belong to an item.
        mask: 1 where the point may be moved, broadcast to its shape; None is everywhere.
    """

    embed: Callable[[Tensor], Tensor]
    point: Tensor
    n_axes: int
    mask: Tensor | None = None


def perturbable(embedder: nn.Module, x: Tensor, n_axes: int) -> Perturbable:
    """The point that L_Reg perturbs, for items ``x`` (..., B, *shape) with ``n_axes`` axes each.

    Their numbers, or their word vectors if the numbers encode words (Sec. 2, footnote of
    eq. emb_reg: pixel-wise for pictures, on the word vectors for text).
    """
    if not isinstance(embedder, RecipeRNN):
        return Perturbable(embedder, x, n_axes)
    return Perturbable(
        lambda vectors: embedder.from_vectors(vectors, x),
        embedder.word_vectors(x),
        n_axes=2,
        mask=(x != 0).unsqueeze(-1),
    )
