/* What stands above the Steer matrix: the query, the axes, how far, the presets. */

import { clamp, givenName, h, icon, round4, sureMark } from "./dom.js"
import { MAX_LEVEL } from "./levels.js"

const button = (label, onclick, id, glyph = null, more = {}) =>
  h("button", { type: "button", onclick, "data-testid": id, ...more }, glyph && icon(glyph), h("span", {}, label))

/** The query with the ways to choose another: `choose(how, id)`. */
export function buildSteerQuery(choose) {
  const picture = h("img", { alt: "", class: "query-picture", draggable: false })
  const title = h("b", {})
  const text = h("span", { class: "muted" })
  const element = h("section", { class: "squery", "aria-label": "Query", "data-testid": "query" },
    picture,
    h("div", { class: "about" }, h("span", { class: "label" }, "Query"), title, text),
    button("Choose", () => choose("gallery"), "query-gallery", "gallery"),
    button("Random", () => choose("random"), "query-random", "dice"))
  return { element, picture, title, text }
}

/**
 * A new row, and what is rarely needed: how far off and on are, presets, a query by number.
 * @param on {sigma(n), preset(nAxes), addRow(), choose(how, id), precise()}
 */
export function buildSteerBar(on) {
  const sigma = h("input", {
    type: "number", min: 0.5, max: MAX_LEVEL, step: 0.5, "aria-label": "n, in s.d.", "data-testid": "n-sigma",
  })
  sigma.onchange = () => on.sigma(clamp(round4(Number(sigma.value)) || 3, 0.5, MAX_LEVEL))
  const number = h("input", {
    type: "number", min: 0, step: 1, class: "row-number", "aria-label": "Query, item number", "data-testid": "query-number",
  })
  number.onchange = () => {
    const id = Math.round(Number(number.value))
    if (number.value !== "" && id >= 0 && id < Number(number.max) + 1) on.choose("row", id)
  }
  const preset = (n) => button(`${n} axes`, () => on.preset(n), `preset-${n}`, null,
    { title: `All on–off combinations of the first ${n} axes` })
  const presets = [preset(2), preset(3)]
  const add = button("Add combination", on.addRow, "add-row")
  const legend = h("span", { class: "legend muted" })
  const panel = h("div", { class: "sbar precise", hidden: true, id: "steer-precise" },
    h("label", { class: "check", title: "Distance of on and off from the mean" }, "Mean ±", sigma, "s.d."),
    h("span", { class: "group", role: "group", "aria-label": "All on–off combinations" },
      h("span", { class: "muted" }, "All on–off combinations of"), ...presets),
    h("label", { class: "check" }, "Query, item number", number),
    button("Average query", () => on.choose("average"), "query-average", "average"), legend)
  const precise = button("Precise", () => on.precise(), "precise", null,
    { "aria-expanded": "false", "aria-controls": "steer-precise", title: "Numbers, range and all combinations" })
  return { element: h("div", { class: "sbar" }, add, precise), panel, precise, sigma, number, presets, add, legend }
}

/** What lies at the two ends of an axis, "savory ↔ dessert"; its name where only that is known. */
function headOf(axis) {
  const { left, right, given, flipped, short } = axis
  if (left && right) return h("span", { class: "head-name" }, `${left} ↔`, h("b", {}, right))
  return given ? givenName(axis, "head-name") : h("b", {}, `${flipped ? "−" : ""}${short}`)
}

/**
 * The poles of the axes above their columns, each with a list to take another one.
 * @param on {swap(at, key), drop(at), add(key)}
 */
export class AxisHeads {
  constructor(on) {
    this.on = on
    this.marks = []
    this.element = h("div", { class: "heads", role: "presentation" })
    this.more = h("select", { class: "more", "aria-label": "Add an axis", "data-testid": "add-axis" })
    this.more.onchange = () => this.more.value !== "" && on.add(this.key(this.more.value))
  }

  /** The key behind the value of an option, which is text. */
  key(value) {
    return this.order.find((key) => String(key) === value)
  }

  /** Shows `axes` (keys) out of `dims`, by key; `order` is how they are offered. */
  show(axes, dims, order, most) {
    const free = order.filter((key) => !axes.includes(key))
    Object.assign(this, { shown: axes, dims, order })
    const option = (key) => h("option", { value: key }, dims[key].name)
    this.element.replaceChildren(...axes.map((axis, at) => {
      const { name, short, flipped, left, right } = dims[axis]
      const title = left && right ? `${name}: ${left} ↔ ${right}` : name
      const list = h("select", { "aria-label": `Axis ${at + 1}`, title, "data-testid": "axis" },
        option(axis), ...free.map(option))
      list.value = axis
      list.onchange = () => this.on.swap(at, this.key(list.value))
      const drop = h("button", { type: "button", class: "tool drop", title: `Remove ${name}`,
        "aria-label": `Remove ${name}`, disabled: axes.length < 2, "data-testid": "drop-axis" }, icon("remove"))
      drop.onclick = () => this.on.drop(at)
      return h("div", { class: "head", role: "columnheader" },
        h("span", { class: "head-short" }, `${flipped ? "−" : ""}${short}`), headOf(dims[axis]),
        h("span", { class: "sure-place" }), list, drop)
    }))
    this.more.replaceChildren(h("option", { value: "" }, "Add an axis"), ...free.map(option))
    this.more.value = ""
    this.more.disabled = axes.length >= most || !free.length
    this.setMarks(this.marks)
  }

  /** How reliable the axes are: by what is held of their names, else by `marks` `[{verdict, text}]`. */
  setMarks(marks) {
    this.marks = marks
    this.element.querySelectorAll(".head").forEach((head, at) => {
      const mark = marks[this.shown[at]] || this.dims[this.shown[at]].held
      const id = `sure-${at + 1}`
      head.querySelector(".sure-place").replaceChildren(...(mark ? [sureMark(mark, id)] : []))
      if (mark) head.querySelector("select").setAttribute("aria-describedby", id)
    })
  }
}
