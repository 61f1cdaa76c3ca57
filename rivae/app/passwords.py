"""The password of the queue: compared in constant time, stored as a hash if wished, and slowed down
after wrong tries.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

from rivae.base.errors import ConfigError

MAX_PASSWORD = 1000
_R, _P = 8, 1
_LOG_N, _OLD_LOG_N = 17, 14  # 128 MB and about 0.4 s; hashes without this number are older
_HASH = re.compile(r"scrypt:(?:(17):)?([0-9a-f]{32}):([0-9a-f]{64})")
FREE_TRIES, LONGEST_S = 3, 30.0
MAX_SOURCES = 1000
MOST_STRANGE = 60  # wrong passwords a minute from all sources that have never given a right one
HERE = ""  # this machine as a source


def password_hash(password: str) -> str:
    """The hash of a password for the secrets file.

    Raises:
        ConfigError: the password is empty or longer than ``MAX_PASSWORD``.
    """
    if not password or len(password) > MAX_PASSWORD:
        raise ConfigError(f"a password has 1 to {MAX_PASSWORD} characters")
    salt = secrets.token_bytes(16)
    return f"scrypt:{_LOG_N}:{salt.hex()}:{_digest(password, salt, _LOG_N).hex()}"


def is_hash(text: str) -> bool:
    """Whether ``text`` is what :func:`password_hash` makes."""
    return _HASH.fullmatch(text) is not None


def fits(password: str, expected: str) -> bool:
    """Whether the password is right; ``expected`` is the password itself or its hash."""
    if not password or len(password) > MAX_PASSWORD or not expected:
        return False
    parts = _HASH.fullmatch(expected)
    if parts is None:
        return hmac.compare_digest(_bytes(password), _bytes(expected))
    log_n = int(parts[1] or _OLD_LOG_N)
    digest = _digest(password, bytes.fromhex(parts[2]), log_n)
    return hmac.compare_digest(digest, bytes.fromhex(parts[3]))


def _digest(password: str, salt: bytes, log_n: int) -> bytes:
    return hashlib.scrypt(
        _bytes(password),
        salt=salt,
        n=2**log_n,
        r=_R,
        p=_P,
        dklen=32,
        maxmem=2 * 128 * _R * 2**log_n,
    )


def _bytes(password: str) -> bytes:
    return password.encode(errors="surrogatepass")  # a browser may send half of a character


class Brake:
    """Makes a source of wrong passwords wait: 1 s after the third, then 2, 4, … 30 s.

    By source, so that a stranger's guesses do not keep the owner out. A source is a network
    address, because a new session costs a guesser nothing; an IPv6 network is one source. Everyone
    at this machine, and everyone behind one proxy, are one source too.

    Who has many addresses is held by a bound on all of them: after ``MOST_STRANGE`` wrong passwords
    within a minute, all wait but this machine and the sources that have given the right one.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()  # the latest last
        self._right: OrderedDict[str, None] = OrderedDict()  # the latest last
        self._strange: deque[float] = deque(maxlen=MOST_STRANGE)  # when strangers were wrong
        self._lock = threading.Lock()

    def attempt(self, is_right: Callable[[], bool], address: str = HERE) -> bool:
        """One try, one at a time: hashing takes memory.

        Raises:
            ConfigError: it is too early; ``is_right`` was not called.
        """
        source = _source_of(address)
        with self._lock:
            stranger = source != HERE and source not in self._right
            wrong, free_at = self._wrong.get(source, (0, 0.0))
            left = free_at - self._clock()
            if left > 0:
                raise ConfigError(f"too many wrong passwords: try again in {left:.0f} s")
            if stranger and (left := self._crowded()) > 0:
                raise ConfigError(
                    "too many wrong passwords from other addresses: try again in "
                    f"{left:.0f} s, or log in at the app's own machine"
                )
            right = is_right()
            self._wrong.pop(source, None)
            if right:
                _keep(self._right, source, None)
            else:
                late = wrong + 1 - FREE_TRIES
                wait = min(2.0 ** min(late, 10), LONGEST_S) if late >= 0 else 0.0
                _keep(self._wrong, source, (wrong + 1, self._clock() + wait))
                if stranger:
                    self._strange.append(self._clock())
            return right

    def _crowded(self) -> float:
        """Seconds until strangers may try again."""
        full = len(self._strange) == MOST_STRANGE
        return self._strange[0] + 60.0 - self._clock() if full else 0.0


def _keep(kept: OrderedDict[str, Any], source: str, value: Any) -> None:
    """Note the source as the latest one; the oldest is forgotten where there are too many."""
    kept[source] = value
    kept.move_to_end(source)
    if len(kept) > MAX_SOURCES:
        kept.popitem(last=False)


def _source_of(address: str) -> str:
    """The address itself, or the network of an IPv6 address, which belongs to one host or home;
    ``HERE`` for each of this machine's own.
    """
    try:
        source = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(source, ipaddress.IPv6Address):
        source = source.ipv4_mapped or source
    if source.is_loopback:  # any program of this machine has 16 million of them
        return HERE
    if isinstance(source, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((source, 64), strict=False))
    return str(source)
