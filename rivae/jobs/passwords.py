"""The password in front of the queue: compared without telling how much of it was right, kept as a
hash where that is wished, and asked for ever more slowly after wrong tries.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections.abc import Callable

from rivae.errors import ConfigError

MAX_PASSWORD = 1000
_N, _R, _P = 2**14, 8, 1  # 16 MB and some 50 ms
_HASH = re.compile(r"scrypt:([0-9a-f]{32}):([0-9a-f]{64})")
FREE_TRIES, LONGEST_S = 3, 30.0


def password_hash(password: str) -> str:
    """A line for the secrets file from which the password cannot be read.

    Raises:
        ConfigError: the password is empty or longer than ``MAX_PASSWORD``.
    """
    if not password or len(password) > MAX_PASSWORD:
        raise ConfigError(f"a password has 1 to {MAX_PASSWORD} characters")
    salt = secrets.token_bytes(16)
    return f"scrypt:{salt.hex()}:{_digest(password, salt).hex()}"


def is_hash(text: str) -> bool:
    """Whether ``text`` is what :func:`password_hash` makes."""
    return _HASH.fullmatch(text) is not None


def fits(password: str, expected: str) -> bool:
    """Whether this is the password; ``expected`` is the password itself or its hash."""
    if not password or len(password) > MAX_PASSWORD or not expected:
        return False
    parts = _HASH.fullmatch(expected)
    if parts is None:
        return hmac.compare_digest(password.encode(), expected.encode())
    digest = _digest(password, bytes.fromhex(parts[1]))
    return hmac.compare_digest(digest, bytes.fromhex(parts[2]))


def _digest(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=_N, r=_R, p=_P, dklen=32)


class Brake:
    """Makes everybody who tries wait after wrong tries: 1 s after the third, then 2, 4, … 30 s.

    Of the whole process, because a new session costs a guesser nothing.

    Args:
        clock: seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong, self._free_at = 0, 0.0
        self._lock = threading.Lock()

    def attempt(self, is_right: Callable[[], bool]) -> bool:
        """One try, one at a time.

        Raises:
            ConfigError: it is too early; ``is_right`` was not asked.
        """
        with self._lock:
            left = self._free_at - self._clock()
            if left > 0:
                raise ConfigError(f"too many wrong passwords: try again in {left:.0f} s")
            right = is_right()
            if right:
                self._wrong, self._free_at = 0, 0.0
            else:
                self._wrong += 1
                late = self._wrong - FREE_TRIES
                if late >= 0:
                    self._free_at = self._clock() + min(2.0 ** min(late, 10), LONGEST_S)
            return right
