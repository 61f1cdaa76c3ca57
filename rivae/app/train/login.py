"""The login at the top of the Train page, if one is set up."""

from __future__ import annotations

import importlib.util

import streamlit as st

from rivae.app.passwords import MAX_PASSWORD
from rivae.app.shell import access, keys, report
from rivae.app.shell.text import markdown

PLACE = "access"


def panel() -> None:
    """Log in or out; nothing if no login is set up."""
    now = access.login()
    if now.kind == "none":
        return
    if now.kind == "broken":
        with st.popover("Locked", icon=":material/lock:"):
            st.markdown(f"Nobody can {access.WHAT}: {markdown(now.trouble)}.")
    elif now.kind == "account":
        _account(now)
    elif access.may_change():
        st.button(
            "Log out", icon=":material/logout:", key=f"{keys.ACCESS}_leave", on_click=access.leave
        )
    else:
        _password()


def _password() -> None:
    with (
        st.popover("Log in", icon=":material/lock:"),
        st.form(f"{keys.ACCESS}_form", border=False),
    ):
        st.caption(f"{access.VIEW_FREELY} Log in to {access.WHAT}.")
        report.show(PLACE)
        st.text_input(
            "Password",
            type="password",
            key=f"{keys.ACCESS}_password",
            autocomplete="current-password",
            max_chars=MAX_PASSWORD,
        )
        st.form_submit_button("Log in", type="primary", on_click=_enter, key=f"{keys.ACCESS}_enter")


def _enter() -> None:
    """Check the password, and delete it from the session."""
    password = str(st.session_state.get(f"{keys.ACCESS}_password") or "")
    st.session_state[f"{keys.ACCESS}_password"] = ""

    def change() -> str:
        access.enter(password)
        return "You are logged in."

    report.attempt(PLACE, change)


def _account(now: access.Login) -> None:
    if access.is_logged_in():
        with st.popover("Account", icon=":material/account_circle:"):
            who = st.user.get("email") or st.user.get("name") or "an account"
            st.markdown(f"Logged in as {markdown(str(who))}.")
            if not access.may_change():
                st.caption("This account may view, but not train: ask to be added to trainers.")
            st.button(
                "Log out", icon=":material/logout:", key=f"{keys.ACCESS}_leave", on_click=st.logout
            )
        return
    with st.popover("Log in", icon=":material/lock:"):
        st.caption(f"{access.VIEW_FREELY} Log in to {access.WHAT}.")
        if importlib.util.find_spec("authlib") is None:
            st.caption("The server lacks a package for logins: `pip install 'streamlit[auth]'`.")
        for provider in now.providers:
            st.button(
                f"Log in with {markdown(provider.title())}" if provider else "Log in",
                type="primary",
                key=f"{keys.ACCESS}_to_{provider or 'account'}",
                on_click=st.login,
                args=(provider,) if provider else (),
            )
