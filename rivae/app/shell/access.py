"""Who may start trainings, and change or delete what is there; viewing and adding need no login.

docs/security.md lists every action.

Off unless the secrets file of the app (``.streamlit/secrets.toml``) sets it up: ``[auth]`` for
Streamlit's OpenID Connect, with ``[rivae] trainers = ["mail", …]`` for some of those who can log
in, or ``[rivae] password`` or ``password_hash``. A file that cannot be read lets nobody in.
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from rivae.app.passwords import HERE, MAX_PASSWORD, Brake, fits, is_hash
from rivae.app.shell import gate, keys
from rivae.base.errors import ConfigError
from rivae.base.proxies import PROXIES

# What a proxy adds to a request that it passes on.
PASSED_ON = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")
WHAT = "start trainings, and change or delete what is here"
NOT_LOCAL = (
    "This app can be reached from other machines, so files of this machine can be named "
    "on the command line only."
)
VIEW_FREELY = "Viewing needs no login."
log = logging.getLogger("rivae.app")
# A session holds what this makes of the password, so a changed password ends it.
_KEY = secrets.token_bytes(32)
_brake = Brake()


@dataclass(frozen=True)
class Login:
    """How visitors log in.

    Attributes:
        kind: "none" without a login; "broken" where its settings are wrong.
        expected: the password or its hash.
        trainers: e-mails in lower case; empty means everybody who can log in.
        providers: names for ``st.login``; None stands for the only one.
        trouble: the problem, in one sentence without any secret.
    """

    kind: Literal["none", "password", "account", "broken"]
    expected: str = ""
    trainers: frozenset[str] = frozenset()
    providers: tuple[str | None, ...] = ()
    trouble: str = ""

    def __repr__(self) -> str:
        return f"Login({self.kind!r})"


def login() -> Login:
    """How visitors log in, as the secrets file says now."""
    try:
        # Raises where there is no file, as well as where there is one that cannot be read.
        logins: dict[str, Any] = {
            key: st.secrets[key] for key in ("rivae", "auth") if key in st.secrets
        }
    except FileNotFoundError as error:
        if getattr(error, "error_id", "") == "no-secrets-found" or "No secrets found" in str(error):
            return Login("none")
        return _broken("the secrets file cannot be read")
    except (OSError, ValueError):
        return _broken("the secrets file cannot be read")
    return _login_of(logins.get("rivae", {}), logins.get("auth", {}))


def _login_of(own: Any, auth: Any) -> Login:
    if not isinstance(own, Mapping) or not isinstance(auth, Mapping):
        return _broken("[rivae] and [auth] of the secrets file must be sections")
    unknown = set(own) - {"password", "password_hash", "trainers"}
    if unknown:
        return _broken("[rivae] of the secrets file takes password, password_hash and trainers")
    trainers = own.get("trainers", [])
    if not isinstance(trainers, list) or not all(isinstance(mail, str) for mail in trainers):
        return _broken("trainers in the secrets file must be a list of e-mails")
    if auth:
        mails = frozenset(mail.strip().casefold() for mail in trainers)
        if "trainers" in own and not mails:
            return _broken("trainers in the secrets file names nobody")
        providers = tuple(key for key, value in auth.items() if isinstance(value, Mapping))
        whole: tuple[str | None, ...] = (None,) if "client_id" in auth else ()
        return Login("account", trainers=mails, providers=(*whole, *providers) or (None,))
    if trainers:
        return _broken("trainers in the secrets file needs a section [auth]")
    secrets = [own[key] for key in ("password", "password_hash") if key in own]
    if not secrets:
        return Login("none") if not own else _broken("[rivae] of the secrets file sets no password")
    wrong = len(secrets) != 1 or not isinstance(secrets[0], str) or not secrets[0]
    if wrong or len(secrets[0]) > MAX_PASSWORD:
        return _broken("the secrets file must set one password, or one password_hash")
    if ("password_hash" in own) != is_hash(secrets[0]):
        return _broken("password_hash in the secrets file is what `rivae password-hash` prints")
    return Login("password", expected=secrets[0])


def _broken(trouble: str) -> Login:
    return Login("broken", trouble=trouble)


def may_change() -> bool:
    """Whether this visitor may do what needs a login: everybody, unless one is set up."""
    now = login()
    if now.kind == "password":
        role = st.session_state.get(keys.ACCESS, "")
        return isinstance(role, str) and hmac.compare_digest(role, _ticket(now.expected))
    if now.kind == "account":
        return is_logged_in() and _is_trainer(now)
    return now.kind == "none"


def control(off: bool = False) -> dict[str, Any]:
    """``disabled`` and ``help`` of a control that needs the login; ``off``: disabled anyway."""
    may = may_change()
    return {"disabled": off or not may, "help": None if may else f"Log in to {WHAT}."}


def require() -> None:
    """ConfigError unless :func:`may_change`."""
    if may_change():
        return
    now = login()
    if now.kind == "broken":
        raise ConfigError(f"nobody can {WHAT}: {now.trouble}")
    if now.kind == "account" and is_logged_in():
        raise ConfigError(f"this account cannot {WHAT}: ask for it to be named in trainers")
    raise ConfigError(f"log in to {WHAT}: at the top of the Train page")


def is_logged_in() -> bool:
    """Whether the visitor has logged in with an account."""
    return st.user.get("is_logged_in") is True


def is_local(address: str | None) -> bool:
    """Whether only this machine reaches the app, and this visitor sits at it.

    ``address`` is where the app listens. A proxy in front of it would make every visitor look near,
    so neither may the app answer to another name, nor the visitor's request have been passed on.
    """
    headers = st.context.headers
    return (
        address in gate.LOOPBACK
        and set(gate.allowed_hosts()) <= set(gate.LOOPBACK)
        and gate.host_name(headers.get("Host") or "localhost") in gate.LOOPBACK
        and not any(name in headers for name in PASSED_ON)
    )


def files_locked() -> str:
    """Why this visitor may not name files of the server's machine, in one sentence; "" when they
    may.
    """
    if not is_local(st.get_option("server.address")):
        return NOT_LOCAL
    return "" if may_change() else "Log in at the top of the Train page to name files here."


def enter(password: str) -> None:
    """Log this session in.

    Raises:
        ConfigError: the password is wrong, or was so too often.
    """
    now = login()
    if now.kind != "password":
        raise ConfigError("this app has no password")
    if not _brake.attempt(lambda: fits(password, now.expected), _source()):
        log.warning("a wrong password was tried")
        raise ConfigError("wrong password: try again")
    st.session_state[keys.ACCESS] = _ticket(now.expected)


def _source() -> str:
    """Where this visitor's guesses are counted: the address of the connection.

    What a request says of itself (X-Forwarded-For) counts only where the server was told which
    proxies to believe. Not told, or told to believe everybody, it believes this machine's programs,
    whatever they say: then all requests that say something are one source.
    """
    proxies = os.environ.get(PROXIES, "*")
    if proxies == "*" and "X-Forwarded-For" in st.context.headers:
        return "passed on"
    address = st.context.ip_address  # None for this machine
    return address if isinstance(address, str) else HERE


def leave() -> None:
    """Log this session out; for callbacks."""
    st.session_state.pop(keys.ACCESS, None)


def _is_trainer(now: Login) -> bool:
    if not now.trainers:
        return True
    mail = st.user.get("email")
    # Some providers let an account carry an e-mail that nobody has confirmed.
    is_confirmed = st.user.get("email_verified") is not False
    return isinstance(mail, str) and is_confirmed and mail.strip().casefold() in now.trainers


def _ticket(expected: str) -> str:
    return hmac.new(_KEY, expected.encode(), "sha256").hexdigest()
