/* What stands above the Steer matrix: the query, the axes, how far, the presets. */

import { clamp, givenName, h, icon, round4, sureMark } from "./dom.js"
import { MAX_LEVEL } from "./steer_row.js"

/** The query with the ways to choose another: `choose(how, id)`. */
export function buildSteerQuery(choose) {
  const picture = h("img", { alt: "", class: "query-picture", draggable: false })
  const title = h("b", {})
  const text = h("span", { class: "muted" })
  const number = h("input", {
    type: "number", min: 0, step: 1, class: "row-number", "aria-label": "Query, item number",
    title: "Item number of the query", "data-testid": "query-number", placeholder: "item",
  })
  const go = () => {
    const id = Math.round(Number(number.value))
    if (number.value !== "" && id >= 0 && id < Number(number.max) + 1) choose("row", id)
  }
  number.onchange = go
  const button = (how, label, glyph) =>
    h("button", { type: "button", onclick: () => choose(how), "data-testid": `query-${how}`, title: label },
      icon(glyph), h("span", {}, label))
  const element = h("section", { class: "squery", "aria-label": "Query", "data-testid": "query" },
    picture,
    h("div", { class: "about" }, h("span", { class: "label" }, "Query"), title, text),
    h("div", { class: "choices" }, number, button("random", "Random", "dice"),
      button("gallery", "Choose", "gallery"), button("average", "Average", "average")))
  return { element, picture, title, text, number }
}

/**
 * How far off and on are, the presets and a new row.
 * @param on {sigma(n), preset(nAxes), addRow()}
 */
export function buildSteerBar(on) {
  const sigma = h("input", {
    type: "number", min: 0.5, max: MAX_LEVEL, step: 0.5, "aria-label": "n, in s.d.", "data-testid": "n-sigma",
  })
  sigma.onchange = () => on.sigma(clamp(round4(Number(sigma.value)) || 3, 0.5, MAX_LEVEL))
  const preset = (n) => h("button", {
    type: "button", onclick: () => on.preset(n), "data-testid": `preset-${n}`,
    title: `All on–off combinations of the first ${n} axes`,
  }, `${n} axes`)
  const add = h("button", { type: "button", onclick: on.addRow, "data-testid": "add-row" }, "Add combination")
  const presets = [preset(2), preset(3)]
  const legend = h("span", { class: "legend muted" })
  const element = h("div", { class: "sbar" },
    h("label", { class: "check", title: "Distance of on and off from the mean" }, "Mean ±", sigma, "s.d."),
    h("span", { class: "group", role: "group", "aria-label": "All on–off combinations" }, h("span", { class: "muted" }, "All on–off combinations of"),
      ...presets), add, legend)
  return { element, sigma, presets, add, legend }
}

/**
 * The names of the axes above their columns, each with a list to take another one.
 * @param on {swap(at, j), drop(at), add(j)}
 */
export class AxisHeads {
  constructor(on) {
    this.on = on
    this.marks = []
    this.element = h("div", { class: "heads", role: "presentation" })
    this.more = h("select", { class: "more", "aria-label": "Add an axis", "data-testid": "add-axis" })
    this.more.onchange = () => this.more.value !== "" && on.add(Number(this.more.value))
  }

  /** Shows `axes` (numbers) out of `dims`; `order` is how they are offered. */
  show(axes, dims, order, most) {
    const free = order.filter((j) => !axes.includes(j))
    this.shown = axes
    const option = (j) => h("option", { value: j }, dims[j].name)
    this.element.replaceChildren(...axes.map((axis, at) => {
      const { name, short, flipped, left, right } = dims[axis]
      const title = left && right ? `${name}: ${left} ↔ ${right}` : name
      const list = h("select", { "aria-label": `Axis ${at + 1}`, title, "data-testid": "axis" },
        option(axis), ...free.map(option))
      list.value = axis
      list.onchange = () => this.on.swap(at, Number(list.value))
      const drop = h("button", { type: "button", class: "tool drop", title: `Remove ${name}`,
        "aria-label": `Remove ${name}`, disabled: axes.length < 2, "data-testid": "drop-axis" }, icon("remove"))
      drop.onclick = () => this.on.drop(at)
      return h("div", { class: "head", role: "columnheader" },
        h("span", { class: "head-top" }, h("b", {}, `${flipped ? "−" : ""}${short}`), h("span", { class: "sure-place" }), drop),
        givenName(dims[axis], "head-name"), list)
    }))
    this.more.replaceChildren(h("option", { value: "" }, "Add axis"), ...free.map(option))
    this.more.value = ""
    this.more.disabled = axes.length >= most || !free.length
    this.setMarks(this.marks)
  }

  /** How sure the axes of the run are, `[{verdict, text}]`; empty where nothing says so. */
  setMarks(marks) {
    this.marks = marks
    this.element.querySelectorAll(".head").forEach((head, at) => {
      const mark = marks[this.shown[at]]
      const id = `sure-${at + 1}`
      head.querySelector(".sure-place").replaceChildren(...(mark ? [sureMark(mark, id)] : []))
      if (mark) head.querySelector("select").setAttribute("aria-describedby", id)
    })
  }
}
