"""Colours and materials. Every material reads the colour of a vertex ("Col")."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import ArrayLike
from shapes import Batch, Floats


def rgb(hexes: str) -> Floats:
    """ "c8141c" as linear RGB."""
    c = np.array([int(hexes[i : i + 2], 16) for i in (0, 2, 4)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def mix(a: ArrayLike, b: ArrayLike, share: Any) -> Floats:
    """``a`` with a share 0 to 1 of ``b``."""
    return np.asarray(a) * (1 - share) + np.asarray(b) * share


# By name: roughness, subsurface, coat, bump, its scale, mottle.
_SOLIDS: dict[str, tuple[float, float, float, float, float, float]] = {
    "base": (0.62, 0, 0, 0.5, 14, 0.18),
    "fruit": (0.22, 0.3, 0.5, 0.06, 30, 0.08),
    "grain": (0.45, 0, 0, 0.1, 40, 0),
    "leaf": (0.42, 0, 0.15, 0.25, 18, 0.15),
    "crust": (0.6, 0, 0.12, 0.7, 16, 0.35),
    "meat": (0.6, 0, 0.1, 1.2, 16, 0.5),
    "cream": (0.45, 0.4, 0.05, 0.12, 10, 0),
    "choc": (0.28, 0, 0.3, 0.1, 12, 0),
    "ceramic": (0.18, 0, 0.6, 0.05, 8, 0),
    "glaze": (0.1, 0, 1, 0, 8, 0),
    "cloth": (0.9, 0, 0, 0.3, 60, 0),
    "metal": (0.2, 0, 0, 0, 8, 0),
}
# By name: share that is not clear, roughness of the gloss, index of refraction.
_CLEAR = {
    "glass": (0.0, 0.01, 1.5),
    "liquid": (0.6, 0.03, 1.4),
    "ice": (0.18, 0.05, 1.5),
    "water": (0.08, 0.02, 1.33),
}
NAMES = (*_SOLIDS, *_CLEAR)

# A darker and a lighter tone.
TABLES = {
    "oak": ("bf9a70", "dcbd93"),
    "ash": ("c4b8a6", "e0d7c8"),
    "linen": ("c9bba3", "ddd2bf"),
    "marble": ("c9c7c4", "f1efec"),
    "slate": ("97a6b2", "b3c0ca"),
}


class _Nodes:
    """The nodes of a new material, a little shorter to write."""

    def __init__(self, name: str) -> None:
        self.material = bpy.data.materials.new(name)
        self.material.use_nodes = True
        self.tree = self.material.node_tree
        self.shader = self.tree.nodes["Principled BSDF"]

    def add(self, kind: str, **inputs: float) -> Any:
        node = self.tree.nodes.new(f"ShaderNode{kind}")
        for key, value in inputs.items():
            node.inputs[key.replace("_", " ")].default_value = value
        return node

    def link(self, a: Any, b: Any) -> None:
        self.tree.links.new(a, b)

    def vertex_colour(self) -> Any:
        node = self.add("VertexColor")
        node.layer_name = "Col"
        return node.outputs["Color"]


def _solid(name: str) -> None:
    rough, subsurface, coat, bump, scale, mottle = _SOLIDS[name]
    nodes = _Nodes(name)
    place = nodes.add("TexCoord").outputs["Object"]
    colour = nodes.vertex_colour()
    if mottle:
        noise = nodes.add("TexNoise", Scale=scale * 0.5, Detail=3)
        nodes.link(place, noise.inputs["Vector"])
        span = nodes.add("MapRange", From_Min=0.3, From_Max=0.7)
        span.inputs["To Min"].default_value = 1 - mottle
        span.inputs["To Max"].default_value = 1 + mottle * 0.6
        nodes.link(noise.outputs["Fac"], span.inputs["Value"])
        scaled = nodes.add("VectorMath")
        scaled.operation = "SCALE"
        nodes.link(colour, scaled.inputs[0])
        nodes.link(span.outputs[0], scaled.inputs["Scale"])
        colour = scaled.outputs[0]
    shader = nodes.shader
    nodes.link(colour, shader.inputs["Base Color"])
    for key, value in (
        ("Roughness", rough),
        ("Subsurface Weight", subsurface),
        ("Subsurface Scale", 0.06),
        ("Coat Weight", coat),
        ("Coat Roughness", 0.05),
        ("Metallic", float(name == "metal")),
    ):
        shader.inputs[key].default_value = value
    shader.inputs["Subsurface Radius"].default_value = (1, 0.5, 0.3)
    if bump:
        noise = nodes.add("TexNoise", Scale=scale, Detail=4)
        nodes.link(place, noise.inputs["Vector"])
        bumps = nodes.add("Bump", Strength=bump, Distance=0.03)
        nodes.link(noise.outputs["Fac"], bumps.inputs["Height"])
        nodes.link(bumps.outputs[0], shader.inputs["Normal"])
    if name == "leaf":  # lets some light through
        through = nodes.add("BsdfTranslucent")
        nodes.link(colour, through.inputs["Color"])
        both = nodes.add("MixShader")
        both.inputs[0].default_value = 0.3
        nodes.link(shader.outputs[0], both.inputs[1])
        nodes.link(through.outputs[0], both.inputs[2])
        nodes.link(both.outputs[0], nodes.tree.nodes["Material Output"].inputs["Surface"])


def _clear(name: str) -> None:
    """Gloss over tinted transparency and a diffuse part; no refraction, so no noise."""
    turbid, gloss, index = _CLEAR[name]
    nodes = _Nodes(name)
    nodes.tree.nodes.clear()
    colour = nodes.vertex_colour()
    through = nodes.add("BsdfTransparent")
    body = nodes.add("BsdfPrincipled", Specular_IOR_Level=0, Roughness=0.6)
    shine = nodes.add("BsdfGlossy", Roughness=gloss)
    fresnel = nodes.add("Fresnel", IOR=index)
    back = nodes.add("NewGeometry").outputs["Backfacing"]
    front = nodes.add("Math")
    front.operation, front.use_clamp = "SUBTRACT", True
    nodes.link(fresnel.outputs[0], front.inputs[0])
    nodes.link(back, front.inputs[1])
    nodes.link(colour, through.inputs["Color"])
    nodes.link(colour, body.inputs["Base Color"])
    inside, whole = nodes.add("MixShader"), nodes.add("MixShader")
    inside.name = "turbid"
    inside.inputs[0].default_value = turbid
    nodes.link(through.outputs[0], inside.inputs[1])
    nodes.link(body.outputs[0], inside.inputs[2])
    nodes.link(front.outputs[0], whole.inputs[0])
    nodes.link(inside.outputs[0], whole.inputs[1])
    nodes.link(shine.outputs[0], whole.inputs[2])
    out = nodes.add("OutputMaterial")
    nodes.link(whole.outputs[0], out.inputs["Surface"])


def _table(name: str) -> None:
    nodes = _Nodes(f"table_{name}")
    place = nodes.add("TexCoord").outputs["Object"]
    mapping, noise = nodes.add("Mapping"), nodes.add("TexNoise", Detail=6, Scale=4)
    ramp, bumps = nodes.add("ValToRGB"), nodes.add("Bump", Distance=0.02, Strength=0.25)
    nodes.link(place, mapping.inputs["Vector"])
    nodes.link(mapping.outputs[0], noise.inputs["Vector"])
    nodes.link(noise.outputs["Fac"], ramp.inputs[0])
    nodes.link(ramp.outputs[0], nodes.shader.inputs["Base Color"])
    nodes.link(noise.outputs["Fac"], bumps.inputs["Height"])
    nodes.link(bumps.outputs[0], nodes.shader.inputs["Normal"])
    ends = ramp.color_ramp.elements
    ends[0].position, ends[1].position = 0.32, 0.68
    for end, tone in zip(ends, TABLES[name], strict=True):
        end.color = (*rgb(tone), 1)
    nodes.shader.inputs["Roughness"].default_value = 0.55
    if name in ("oak", "ash"):
        mapping.inputs["Scale"].default_value = (1.2, 14, 1)
        noise.inputs["Scale"].default_value = 1.3
        noise.inputs["Distortion"].default_value = 0.6
    elif name == "marble":
        noise.inputs["Scale"].default_value = 1.1
        noise.inputs["Distortion"].default_value = 2.2
        ends[0].position, ends[1].position = 0.38, 0.52
        nodes.shader.inputs["Roughness"].default_value = 0.25
        bumps.inputs["Strength"].default_value = 0
    elif name in ("linen", "slate"):
        noise.inputs["Scale"].default_value = 3
        nodes.shader.inputs["Roughness"].default_value = 0.95


def make_materials() -> None:
    """Make every material once for the process."""
    for name in _SOLIDS:
        _solid(name)
    for name in _CLEAR:
        _clear(name)
    for name in TABLES:
        _table(name)


def set_turbid(name: str, share: float) -> None:
    """How much of a clear material is not clear, 0 to 1."""
    bpy.data.materials[name].node_tree.nodes["turbid"].inputs[0].default_value = share


def place(batch: Batch, name: str, material: str) -> Any:
    """Put a batch into the scene as one object; ``clear`` takes it out again."""
    if not batch.count:
        return None
    vertices = np.concatenate(batch.vertices).astype(np.float32)
    faces = np.concatenate(batch.faces).astype(np.int32)
    colours = np.concatenate(batch.colours)
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(vertices))
    mesh.vertices.foreach_set("co", vertices.ravel())
    mesh.loops.add(faces.size)
    mesh.loops.foreach_set("vertex_index", faces.ravel())
    mesh.polygons.add(len(faces))
    mesh.polygons.foreach_set("loop_start", np.arange(0, faces.size, 4, dtype=np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), bool))
    layer = mesh.color_attributes.new("Col", "FLOAT_COLOR", "POINT")
    rgba = np.c_[colours, np.ones(len(colours))].astype(np.float32)
    layer.data.foreach_set("color", rgba.ravel())
    mesh.update()
    mesh.materials.append(bpy.data.materials[material])
    thing = bpy.data.objects.new(name, mesh)
    thing["dish"] = 1
    bpy.context.scene.collection.objects.link(thing)
    return thing


def clear() -> None:
    """Take everything out that ``place`` put in."""
    for thing in [o for o in bpy.data.objects if "dish" in o]:
        mesh = thing.data
        bpy.data.objects.remove(thing)
        bpy.data.meshes.remove(mesh)
