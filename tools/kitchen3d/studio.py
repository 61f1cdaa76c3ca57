"""The studio: renderer, camera, three lights, table and wall."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from looks import TABLES, make_materials, mix, place, rgb
from mathutils import Vector
from shapes import Batch, Rng
from vessels import Vessel


def open_studio(size: int, samples: int) -> None:
    """Set the renderer up once: ``size`` pixels a side, ``samples`` rays a pixel, one thread."""
    scene = bpy.context.scene
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.device, cycles.samples = "CPU", samples
    cycles.use_adaptive_sampling, cycles.adaptive_threshold = True, 0.03
    cycles.use_denoising, cycles.denoiser = True, "OPENIMAGEDENOISE"
    cycles.denoising_prefilter = "FAST"
    cycles.denoising_input_passes = "RGB_ALBEDO_NORMAL"
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 5, 2, 2
    cycles.transmission_bounces, cycles.transparent_max_bounces = 2, 10
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.sample_clamp_indirect, cycles.blur_glossy = 4, 1
    render = scene.render
    render.threads_mode, render.threads = "FIXED", 1
    render.resolution_x = render.resolution_y = size
    render.resolution_percentage = 100
    render.image_settings.file_format = "PNG"
    render.image_settings.color_mode = "RGB"
    render.image_settings.compression = 0
    scene.view_settings.view_transform = "Filmic"
    scene.view_settings.look = "High Contrast"
    scene.view_settings.exposure = 0.85
    make_materials()
    world = bpy.data.worlds[0] if bpy.data.worlds else bpy.data.worlds.new("sky")
    scene.world = world
    world.use_nodes = True
    sky = world.node_tree.nodes["Background"]
    sky.inputs[0].default_value, sky.inputs[1].default_value = (0.95, 0.97, 1, 1), 0.3
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens, camera.data.sensor_width = 70, 32
    scene.collection.objects.link(camera)
    scene.camera = camera
    for name, width in (("window", 2.0), ("back", 2.5), ("strip", 0.35)):
        light = bpy.data.lights.new(name, "AREA")
        light.size, light.size_y = width, 2.6
        light.shape = "RECTANGLE" if name == "strip" else "SQUARE"
        scene.collection.objects.link(bpy.data.objects.new(name, light))


def _look_at(thing: Any, target: tuple[float, float, float]) -> None:
    towards = Vector(target) - thing.location
    thing.rotation_euler = towards.to_track_quat("-Z", "Y").to_euler()


def _light(
    name: str, at: tuple[float, float, float], target: float, watts: float, colour: Any
) -> None:
    lamp = bpy.data.objects[name]
    lamp.location = at
    _look_at(lamp, (0, 0, target))
    lamp.data.energy, lamp.data.color = watts, tuple(colour)


def arrange(vessel: Vessel, order: dict[str, Any], rng: Rng) -> None:
    """Table, wall, camera and light of one picture."""
    table = order["table"]
    ground = Batch()
    corners = np.array([[-14, -9, 0], [14, -9, 0], [14, 9, 0], [-14, 9, 0.0]])
    ground.add((corners, np.array([[0, 1, 2, 3]])), (1, 1, 1))
    place(ground, "table", f"table_{table}").rotation_euler = (0, 0, rng.uniform(-0.5, 0.5))
    wall = Batch()
    corners = np.array([[-20, 7, -1], [20, 7, -1], [20, 9, 14], [-20, 9, 14.0]])
    tone = mix(rgb(TABLES[table][1]), rgb("f4f0e8"), 0.6)
    wall.add((corners, np.array([[0, 1, 2, 3]])), tone)
    place(wall, "wall", "cloth")
    azimuth = order["azimuth"]
    elevation = math.radians(vessel.elevation + order["tilt"])
    distance = vessel.distance * order["zoom"]
    target = (0.0, vessel.aim_y, vessel.aim_z)
    camera = bpy.context.scene.camera
    camera.location = np.array(target) + distance * np.array(
        [
            math.sin(azimuth) * math.cos(elevation),
            -math.cos(azimuth) * math.cos(elevation),
            math.sin(elevation),
        ]
    )
    _look_at(camera, target)
    focus = Vector((0, -0.35, vessel.food_z) if not vessel.glass else (0, -0.5, 1.0))
    camera.data.dof.use_dof = True
    camera.data.dof.focus_distance = float((camera.location - focus).length)
    camera.data.dof.aperture_fstop = (1.1, 0.7, 0.6, 0.7, 0.7)[vessel.code]
    side = -1 if order["mirrored"] else 1
    warm = mix((1, 0.93, 0.84), (1, 0.86, 0.7), order["warmth"])
    _light("window", (-4.2 * side, 2.2, 4.6), 0.3, 620, warm)
    _light("back", (3.0 * side, 4.2, 3.2), 0.4, 190, (0.9, 0.95, 1))
    _light("strip", (-2.6 * side, -3.2, 1.7), 1.0, 26 if vessel.glass else 0, (1, 0.97, 0.93))


def shoot(path: Path, seed: int) -> None:
    """Render the scene to a PNG; what Blender prints is dropped."""
    scene = bpy.context.scene
    scene.cycles.seed = seed % 1000
    scene.render.filepath = str(path)
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        bpy.ops.render.render(write_still=True)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
