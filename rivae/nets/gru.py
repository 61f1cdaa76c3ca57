"""A bi-directional GRU (Cho et al. 2014) over texts of different lengths, in plain operations.

PyTorch's own takes its initial weights from the global generator and cannot be differentiated
forwards on a GPU, which L_Reg needs; on a CPU this one is 1.7 times faster.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class BiGRU(nn.Module):
    """Sequences (B, T, D) to what both directions hold at their ends, (B, 2 H).

    The forward direction ends at the last word, the backward one at the first. Weights are those
    of ``torch.nn.GRU`` (gates in the order reset, update, candidate), transposed and with the
    two directions side by side: (2, D, 3 H) and (2, H, 3 H).
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
        # Longest first: the rows that still have words are then the first ones at every step.
        order = lengths.argsort(descending=True, stable=True)
        left = lengths[order]
        steps = torch.arange(int(left[0]), device=x.device)[:, None]
        active = (left > steps).sum(1).tolist()
        # The words of all steps one after the other, without padding, for either direction.
        step, row = (steps < left).nonzero(as_tuple=True)
        last_first = torch.stack([step, left[row] - 1 - step])
        gates = x[order[row], last_first] @ self.weight_in  # (2, words, 3 H)
        gates = _full(gates) + self.bias_in
        # A low-precision copy is made once, not at every step.
        enabled = torch.is_autocast_enabled(x.device.type)
        dtype = torch.get_autocast_dtype(x.device.type) if enabled else self.weight_hidden.dtype
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
