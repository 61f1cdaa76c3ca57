"""Traverse."""
import streamlit as st
st.title("Traverse")
