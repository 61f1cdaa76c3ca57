"""Saved tours: titles, notes and rows of levels that a presenter steps through."""

from rivae.tours.folder import (
    MAX_TOURS,
    TourFile,
    add_tour,
    change_tour,
    delete_tour,
    list_tours,
    read_tour,
    restore_tour,
    tours_folder,
    trash_of_tours,
)
from rivae.tours.form import MAX_BYTES, from_bytes, to_bytes, to_json
from rivae.tours.tour import MAX_HEADING, MAX_NOTE, MAX_STEPS, MAX_TITLE, Tour, TourStep

__all__ = [
    "MAX_BYTES",
    "MAX_HEADING",
    "MAX_NOTE",
    "MAX_STEPS",
    "MAX_TITLE",
    "MAX_TOURS",
    "Tour",
    "TourFile",
    "TourStep",
    "add_tour",
    "change_tour",
    "delete_tour",
    "from_bytes",
    "list_tours",
    "read_tour",
    "restore_tour",
    "to_bytes",
    "to_json",
    "tours_folder",
    "trash_of_tours",
]
