/* What the colours of the map's points mean: classes in colours of their own, numbers on one scale. */

import { clamp, h } from "./dom.js"
import { STEPS, UNKNOWN } from "./map_points.js"
import { shapeOf } from "./map_selections.js"

/** Accent and text colour of an element (0 to 1 each), and whether its page is dark. */
export function coloursOf(element) {
  const probe = h("i", {})
  element.append(probe)
  const read = (colour) => {
    probe.style.color = colour
    return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map((part) => Number(part) / 255)
  }
  const [accent, ink, ground] = ["var(--accent)", "var(--ink)", "var(--st-background-color)"].map(read)
  probe.remove()
  return { accent, ink, dark: ground[0] + ground[1] + ground[2] < 1.5 }
}

/**
 * How a column is coloured.
 * @param about {kind, low, high, levels} of the column, `codes` its values
 * @param scales {sequence, classes}: colours `#rrggbb`
 * @returns {shares, stops, legend}: 0 to 1 for each point (above where unknown), the colours from 0 to
 *   1, and elements that explain them
 */
export function colouring({ kind, low, high, levels }, codes, { sequence, classes }) {
  const isClass = kind === "class"
  const size = isClass ? Math.max(levels.length, 1) : 64
  const colours = Array.from({ length: size }, (_, i) =>
    isClass ? rgb(classes[i % classes.length]) : mix(sequence, i / (size - 1)))
  const shares = new Float32Array(codes.length)
  codes.forEach((code, i) => {
    shares[i] = code === UNKNOWN ? 2 : isClass ? (code + 0.5) / size : code / STEPS
  })
  const css = (colour) => `background: rgb(${colour.join(" ")})`
  const stops = colours.map((colour) => [...colour, 255])
  if (isClass) {
    return { shares, stops, legend: levels.map((level, i) => h("span", {}, h("i", { style: css(colours[i]) }), level)) }
  }
  const ends = levels.length ? [levels[0], levels[levels.length - 1]] : [low, high].map((v) => String(Number(v.toPrecision(3))))
  const ramp = `background: linear-gradient(90deg, ${sequence.join(", ")})`
  const legend = [h("span", {}, ends[0]), h("i", { class: "ramp", style: ramp }), h("span", {}, ends[1])]
  return { shares, stops, legend }
}

/**
 * How selections are coloured and shaped; of several that hold a point the last one counts.
 * @param selections [{mark}], `masks` of 0 and 1 for each, `classes` colours `#rrggbb`
 * @returns {shares, stops} as `colouring`
 */
export function marking(selections, masks, classes) {
  const shares = new Float32Array(masks[0].length).fill(2)
  masks.forEach((mask, s) => mask.forEach((one, i) => {
    if (one) shares[i] = (s + 0.5) / masks.length
  }))
  const stops = selections.map(({ mark }) => [...rgb(classes[mark % classes.length]), 255 - shapeOf(mark)])
  return { shares, stops }
}

export const SPARSE_TO_DENSE = { kind: "number", levels: ["sparse", "dense"] }
const CELLS = 96
const BLURS = 3

/** How many points lie around each, as codes: counted in cells, blurred, on a scale of logarithms. */
export function density({ x, y, n }) {
  let counts = new Float32Array(CELLS * CELLS)
  const cell = (i) => {
    const [u, v] = [x, y].map((column) => Math.min(CELLS - 1, Math.floor((column[i] / STEPS) * CELLS)))
    return v * CELLS + u
  }
  for (let i = 0; i < n; i++) counts[cell(i)] += 1
  for (let pass = 0; pass < BLURS; pass++) counts = blurred(blurred(counts, 1), CELLS)
  const most = Math.log1p(counts.reduce((top, count) => Math.max(top, count), 0)) || 1
  return Uint16Array.from({ length: n }, (_, i) => Math.round((Math.log1p(counts[cell(i)]) / most) * STEPS))
}

/** Means of three neighbours `step` apart, in a square of cells; nothing lies outside. */
function blurred(counts, step) {
  const along = (at) => (step === 1 ? at % CELLS : Math.floor(at / CELLS))
  return counts.map((count, at) => {
    const before = along(at) > 0 ? counts[at - step] : 0
    const after = along(at) < CELLS - 1 ? counts[at + step] : 0
    return (before + count + after) / 3
  })
}

function rgb(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
}

/** The colour at `t` (0 to 1) of a scale of evenly spaced ones. */
function mix(scale, t) {
  const place = clamp(t, 0, 1) * (scale.length - 1)
  const i = Math.min(Math.floor(place), scale.length - 2)
  const [low, high] = [rgb(scale[i]), rgb(scale[i + 1])]
  return low.map((c, k) => Math.round(c + (high[k] - c) * (place - i)))
}
