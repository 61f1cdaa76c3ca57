/* A table of coloured cells: a click, or Enter on the one that has the focus, reports it as `{axis, column}`.
   Arrow keys, Home and End walk from cell to cell, so that Tab passes the table in one step. */

import { h } from "./dom.js"

const heats = new WeakMap()
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -999], End: [0, 999] }

class Heat {
  constructor(parent) {
    this.at = [0, 0]
    this.frame = h("figure", { class: "frame" })
    this.frame.addEventListener("click", (event) => this.choose(event.target.closest("td[data-row]")))
    this.frame.addEventListener("keydown", (event) => this.key(event))
    parent.append(this.frame)
  }

  update(component) {
    this.component = component
    const drawn = JSON.stringify(component.data)
    if (this.drawn === drawn) return
    this.drawn = drawn
    const { data } = component
    const hadFocus = this.frame.getRootNode().activeElement?.matches("td")
    this.at = data.selected ?? [Math.min(this.at[0], data.rows.length - 1), Math.min(this.at[1], data.columns.length - 1)]
    this.cells = data.rows.map((row, r) => row.cells.map((cell, c) => heatCell(cell, r, c, data.selected)))
    const { colors, rows } = data
    const names = Math.min(15, 2 + 0.45 * Math.max(...rows.map((row) => row.name.length)))
    this.frame.style.cssText = `--rule: ${colors.line}; --chosen: ${colors.selection}; --names: ${names}rem`
    this.frame.replaceChildren(heatTable(data, this.cells), heatScale(data.scale))
    this.stop(this.at, hadFocus)
  }

  /** The Tab key stops at this cell from now on. */
  stop([row, column], isFocused) {
    const cell = this.cells[row]?.[column]
    if (!cell) return
    const [r, c] = this.at
    this.cells[r]?.[c]?.setAttribute("tabindex", -1)
    cell.setAttribute("tabindex", 0)
    this.at = [row, column]
    if (isFocused) cell.focus()
  }

  key(event) {
    const cell = event.target.closest("td[data-row]")
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return
    const step = STEPS[event.key]
    if (!step && event.key !== "Enter" && event.key !== " ") return
    event.preventDefault()
    if (!step) return this.choose(cell)
    const { rows, columns } = this.component.data
    const [row, column] = this.at.map((place, i) => place + step[i])
    this.stop([within(row, rows.length), within(column, columns.length)], true)
  }

  choose(cell) {
    if (!cell) return
    const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)]
    this.stop([row, column], false)
    this.component.setTriggerValue("cell", { axis: this.component.data.rows[row].axis, column })
  }
}

function within(place, length) {
  return Math.max(0, Math.min(length - 1, place))
}

function heatCell({ text, title, fill, ink }, row, column, selected) {
  const isChosen = selected && selected[0] === row && selected[1] === column
  const mark = h("span", {}, text ?? "")
  if (fill) mark.style.cssText = `background: ${fill}; color: ${ink}`
  return h("td", {
    title, tabIndex: -1, "data-row": row, "data-column": column, "aria-label": text ? null : title,
    "aria-selected": isChosen ? "true" : "false",
  }, mark)
}

function heatTable({ label, columns, rows }, cells) {
  const heads = columns.map(({ name, title }) => h("th", { scope: "col", title }, h("span", {}, name)))
  const lines = rows.map(({ name, title }, r) => h("tr", {}, h("th", { scope: "row", title }, name), ...cells[r]))
  return h(
    "table",
    { role: "grid", "aria-label": label, "data-testid": "heat" },
    h("thead", {}, h("tr", {}, h("td"), ...heads)),
    h("tbody", {}, ...lines),
  )
}

function heatScale({ colors, ends, unit, blank }) {
  const bar = h("i")
  bar.style.background = `linear-gradient(90deg, ${colors.join(", ")})`
  return h("p", {}, ends[0], bar, `${ends[1]} ${unit}; blank: ${blank}`)
}

export default function (component) {
  const { parentElement } = component
  let heat = heats.get(parentElement)
  if (!heat) {
    heat = new Heat(parentElement)
    heats.set(parentElement, heat)
  }
  heat.update(component)
  return () => heats.delete(parentElement)
}
