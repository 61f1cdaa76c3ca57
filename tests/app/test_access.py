"""Who may change trainings: everybody by default, else those who logged in; no secret is shown."""

import pytest

from rivae.app.passwords import (
    FREE_TRIES,
    MAX_SOURCES,
    MOST_STRANGE,
    Brake,
    fits,
    is_hash,
    password_hash,
)
from rivae.app.shell import access, keys
from rivae.base.errors import ConfigError

PASSWORD = "correct horse"
AUTH = {
    "redirect_uri": "http://localhost/oauth2callback",
    "cookie_secret": "cookie-secret",
    "client_id": "id",
    "client_secret": "client-secret",
    "server_metadata_url": "http://localhost",
}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(access, "_brake", Brake(lambda: 0.0))


@pytest.fixture
def visitor(app):
    """A visitor of the Train page of an app with these secrets."""

    def opened(secrets=None, user=None):
        made = app()
        if secrets is not None:
            made.at.secrets = secrets
        if user is not None:
            made.at.user = user
        return made.open("train")

    return opened


def enter(app, password):
    app.at.text_input("access_password").set_value(password)
    app.at.button("access_enter").click().run()
    return app.calm()


def button_keys(app):
    return {button.key for button in app.at.button}


def sees(app):
    """Whether the app lets this visitor change trainings: the import is on."""
    return not app.at.button("train_import_start").disabled


def everything_of(app):
    return "\n".join([app.words, str(app.at.main), str(app.params), str(app.at.session_state)])


def test_without_secrets_everybody_may(visitor):
    app = visitor()
    assert sees(app) and not {key for key in button_keys(app) if str(key).startswith("access")}


@pytest.mark.parametrize("form", ["plain", "hash"])
def test_the_password_opens_this_session_only(visitor, form):
    own = {"password": PASSWORD} if form == "plain" else {"password_hash": password_hash(PASSWORD)}
    app = visitor({"rivae": own})
    assert not sees(app)
    enter(app, PASSWORD)
    assert sees(app) and "access_leave" in button_keys(app)
    assert PASSWORD not in everything_of(app), "it is not kept"
    app.open("train")
    assert sees(app)
    assert not sees(visitor({"rivae": own}))
    app.at.button("access_leave").click().run()
    assert not sees(app.calm())


def test_a_wrong_password_says_so_and_waits(visitor):
    app = visitor({"rivae": {"password": PASSWORD}})
    for _ in range(3):
        enter(app, "wrong horse")
        assert "wrong password" in app.words and not sees(app)
    enter(app, PASSWORD)
    assert "wrong passwords" in app.words and not sees(app)
    for secret in (PASSWORD, "wrong horse"):
        assert secret not in everything_of(app)


def test_a_changed_password_ends_the_session(visitor):
    app = visitor({"rivae": {"password": PASSWORD}})
    enter(app, PASSWORD)
    app.at.secrets = {"rivae": {"password": "another"}}
    app.at.run()
    assert not sees(app)


def test_a_made_up_ticket_opens_nothing(visitor):
    app = visitor({"rivae": {"password": PASSWORD}})
    for ticket in (True, PASSWORD, "", None, "x" * 64):
        app.at.session_state[keys.ACCESS] = ticket
        app.at.run()
        assert not sees(app)


@pytest.mark.parametrize(
    "secrets",
    [
        {"rivae": "x"},
        {"rivae": {"password": ""}},
        {"rivae": {"password": 5}},
        {"rivae": {"passwort": PASSWORD}},
        {"rivae": {"password_hash": PASSWORD}},
        {"rivae": {"password": PASSWORD, "password_hash": "x"}},
        {"rivae": {"password": "x" * 1001}},
        {"rivae": {"trainers": ["a@b.c"]}},
        {"rivae": {"trainers": "a@b.c"}, "auth": AUTH},
        {"rivae": {"trainers": []}, "auth": AUTH},
        {"auth": "x"},
    ],
)
def test_secrets_that_make_no_sense_let_nobody_in(visitor, secrets):
    app = visitor(secrets, {"is_logged_in": True, "email": "a@b.c"})
    assert not sees(app) and "secrets file" in app.words
    assert PASSWORD not in everything_of(app)


def test_other_secrets_are_no_login(visitor):
    assert sees(visitor({"database": {"password": "x"}}))


def test_a_secrets_file_that_cannot_be_read_lets_nobody_in(monkeypatch, tmp_path):
    from streamlit import config
    from streamlit.runtime.secrets import Secrets

    path, known = tmp_path / "secrets.toml", config.get_option
    monkeypatch.setattr(
        config, "get_option", lambda key: [str(path)] if key == "secrets.files" else known(key)
    )
    monkeypatch.setattr("streamlit.secrets", Secrets())
    assert access.login().kind == "none", "there is no file"
    path.write_text("[rivae\npassword = 'secret'")
    found = access.login()
    assert found.kind == "broken" and "secret'" not in found.trouble
    path.write_text("[other]\nx = 1")
    assert access.login().kind == "none"


@pytest.mark.parametrize(
    ("user", "trainers", "may"),
    [
        ({}, None, False),
        ({"is_logged_in": False}, None, False),
        ({"is_logged_in": "yes"}, None, False),
        ({"is_logged_in": True, "email": "a@b.c"}, None, True),
        ({"is_logged_in": True, "email": "A@b.c"}, ["a@B.c"], True),
        ({"is_logged_in": True, "email": "x@b.c"}, ["a@b.c"], False),
        ({"is_logged_in": True}, ["a@b.c"], False),
        ({"is_logged_in": True, "email": "a@b.c", "email_verified": False}, ["a@b.c"], False),
        ({"is_logged_in": False, "email": "a@b.c"}, ["a@b.c"], False),
    ],
)
def test_accounts(visitor, user, trainers, may):
    secrets = {"auth": AUTH} | ({} if trainers is None else {"rivae": {"trainers": trainers}})
    app = visitor(secrets, user)
    assert sees(app) is may
    logged_in = user.get("is_logged_in") is True
    assert ("access_leave" in button_keys(app)) is logged_in
    assert ("access_to_account" in button_keys(app)) is not logged_in
    for secret in ("client-secret", "cookie-secret"):
        assert secret not in everything_of(app)


def test_several_providers_have_a_button_each(visitor):
    shared = {key: AUTH[key] for key in ("redirect_uri", "cookie_secret")}
    own = {key: value for key, value in AUTH.items() if key not in shared}
    app = visitor({"auth": {**shared, "google": own, "okta": own}}, {"is_logged_in": False})
    assert {"access_to_google", "access_to_okta"} <= button_keys(app)


def test_a_login_shows_no_secret():
    assert PASSWORD not in repr(access.Login("password", expected=PASSWORD))


# passwords


@pytest.mark.slow
def test_a_hash_tells_nothing_and_fits_one_password():
    made = password_hash(PASSWORD)
    assert is_hash(made) and made != password_hash(PASSWORD) and PASSWORD not in made
    assert fits(PASSWORD, made) and not fits(PASSWORD + " ", made) and not fits("", made)
    assert fits("pässwort", "pässwort") and not fits("passwort", "pässwort")
    assert not fits(made, made), "the hash itself opens nothing"
    assert not fits("", "") and not fits("x" * 1001, "x" * 1001)
    for wrong in ("", "x" * 1001):
        with pytest.raises(ConfigError):
            password_hash(wrong)


def test_wrong_tries_get_slower_up_to_a_bound_and_a_right_one_ends_that():
    now = [0.0]
    brake = Brake(lambda: now[0])
    waits = []
    for _ in range(12):
        assert not brake.attempt(lambda: False)
        start = now[0]
        while True:
            try:
                brake.attempt(_stop)
            except ConfigError:
                now[0] += 0.5
            except _AskedError:
                break
        waits.append(now[0] - start)
    assert waits[:6] == [0, 0, 1, 2, 4, 8] and waits[-1] == 30
    assert brake.attempt(lambda: True)
    assert not brake.attempt(lambda: False) and not brake.attempt(lambda: False)


def test_a_strangers_guesses_do_not_keep_the_owner_out():
    brake = Brake(lambda: 0.0)
    for _ in range(3):
        assert not brake.attempt(lambda: False, "203.0.113.9")
    for same in ("203.0.113.9", "203.0.113.9%eth0"):
        with pytest.raises(ConfigError, match="too many"):
            brake.attempt(_stop, same)
    assert brake.attempt(lambda: True) and brake.attempt(lambda: True, "203.0.113.10")
    # One IPv6 network has more addresses than anybody could be made to wait for.
    for n in range(3):
        assert not brake.attempt(lambda: False, f"2001:db8::{n + 1}")
    with pytest.raises(ConfigError, match="too many"):
        brake.attempt(_stop, "2001:db8::ffff")
    assert brake.attempt(lambda: True, "2001:db8:0:1::1")


def test_sources_without_end_take_no_memory():
    now = [0.0]
    brake = Brake(lambda: now[0])
    for right, kept in ((False, brake._wrong), (True, brake._right)):
        for n in range(3 * MAX_SOURCES):
            now[0] += 1.1
            brake.attempt(lambda right=right: right, f"10.{n // 65536}.{n // 256 % 256}.{n % 256}")
        assert len(kept) == MAX_SOURCES
    assert len(brake._strange) == MOST_STRANGE


@pytest.mark.parametrize(
    "same",
    [
        ["127.0.0.1", "127.0.0.2", "127.255.0.9", "::1", "::ffff:127.0.0.1", ""],
        ["203.0.113.9", "::ffff:203.0.113.9", "::ffff:cb00:7109"],
        ["2001:db8::1", "2001:db8:0:0:ffff::", "2001:DB8::2%eth0"],
    ],
)
def test_one_source_has_many_addresses(same):
    brake = Brake(lambda: 0.0)
    for n in range(FREE_TRIES):
        assert not brake.attempt(lambda: False, same[n % len(same)])
    for address in same:
        with pytest.raises(ConfigError, match="too many"):
            brake.attempt(_stop, address)


def test_many_addresses_wait_for_one_another_but_the_owner_does_not():
    now = [0.0]
    brake = Brake(lambda: now[0])
    assert brake.attempt(lambda: True, "198.51.100.7")
    for n in range(MOST_STRANGE):
        assert not brake.attempt(lambda: False, f"2001:db8:{n:x}::1")
    with pytest.raises(ConfigError, match="60 s"):
        brake.attempt(_stop, "2001:db8:ffff::1")
    for _ in range(2):
        assert not brake.attempt(lambda: False, "198.51.100.7"), "who was right before is asked"
    assert brake.attempt(lambda: True, "198.51.100.7") and brake.attempt(lambda: True)
    now[0] = 61.0
    assert brake.attempt(lambda: True, "2001:db8:ffff::1")


def test_hashes_made_before_still_open():
    import hashlib

    salt = bytes(range(16))
    old = hashlib.scrypt(PASSWORD.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32)
    made = f"scrypt:{salt.hex()}:{old.hex()}"
    assert is_hash(made) and fits(PASSWORD, made) and not fits("another", made)
    assert not is_hash(made.replace("scrypt:", "scrypt:30:")), "nobody asks for more memory"
    assert password_hash(PASSWORD).startswith("scrypt:17:"), "the least that OWASP advises"


class _AskedError(Exception):
    pass


def _stop():
    raise _AskedError
