"""Data: a table and pictures, sent by the browser."""

import io
import json
import os
import zipfile

import numpy as np
import pytest
from PIL import Image

from benchmarks import journeys

pytestmark = pytest.mark.slow


def test_a_large_zip_and_a_json_list_are_ready_to_import(page, app_server, until, tmp_path):
    dishes = [{"Bild": f"{i}.png", "name": f"Dish {i}"} for i in range(12)]
    table, images = tmp_path / "dishes.json", tmp_path / "dishes.zip"
    table.write_text(json.dumps(dishes))
    with zipfile.ZipFile(images, "w") as packed:
        for i, dish in enumerate(dishes):
            made = io.BytesIO()
            Image.fromarray(np.full((40, 40, 3), 20 * i, np.uint8)).save(made, "PNG")
            packed.writestr(dish["Bild"], made.getvalue())
        packed.writestr("notes.bin", os.urandom(20 * 2**20))

    page.goto(f"{app_server}/data")
    for path in (images, table):
        journeys.drop_file(page, path)
    page.get_by_test_id("stFileUploader").wait_for(state="detached")
    page.get_by_role("button", name="Change").click()
    picture = page.get_by_role("combobox", name="Picture", exact=True)
    until(lambda: picture.input_value() == "Bild", "the column of pictures is recognised")
    for path in (table, images):
        page.get_by_role("button", name="Remove").first.click()
        page.get_by_text(f"{path.name},").wait_for(state="detached")
