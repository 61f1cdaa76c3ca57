/* One row of the Steer matrix: its cells, its pictures, its cloud and what can be done with it. */

import { ICONS, clamp, h, icon, round4, setText } from "./dom.js"
import { WHERE } from "./layout.js"
import { MAX_LEVEL, markOf, poleOf, sayLevel, turnedLevel } from "./levels.js"
import { drawCloud, makeCloud } from "./cloud.js"
import { sharpen } from "./sharp.js"

Object.assign(ICONS, {
  up: "M10 16V4M5 9l5-5 5 5",
  down: "M10 4v12M5 11l5 5 5-5",
  copy: "M7 7h9v9H7zM4 13V4h9",
  more: "M4.500 10h.01M10 10h.01M15.500 10h.01",
  flag: "M5 17V3M5 4h10l-2.5 3.5L15 11H5",
})

const NEXT = { off: "on", on: "query", query: "off" }
const MENU = { up: "Move up", down: "Move down", copy: "Copy", remove: "Remove" }
const KEYS = { o: "off", i: "on", q: "query", Delete: "query", Backspace: "query" }
const STEP = 0.5
const MAX_CAPTION = 120

export class SteerRow {
  /**
   * @param on {change(), tool(name, row), caption(text, row), pick(id), walk(event, row)}
   */
  constructor(levels, on) {
    this.levels = levels
    this.on = on
    this.cells = []
    this.shown = null
    this.worded = null
    this.matrix = h("div", { class: "cells", role: "presentation" })
    this.far = h("p", { class: "far-note", "data-testid": "far" })
    this.pictures = h("div", { class: "pictures", role: "presentation", "data-testid": "pictures" })
    this.tiles = []
    this.caption = this.makeCaption()
    this.cloud = makeCloud()
    this.note = h("p", { class: "muted note" })
    this.words = h("div", { class: "words", role: "gridcell", "data-testid": "cloud" }, this.cloud, this.note)
    this.error = h("p", { class: "error", role: "alert" })
    const tool = (name, label, glyph) => {
      const node = h("button", { type: "button", class: "tool", title: label, "aria-label": label, tabIndex: -1,
        "data-testid": `row-${name}` }, icon(glyph))
      node.onclick = () => on.tool(name, this)
      return node
    }
    this.flag = tool("tour", "Add to the tour", "flag")
    this.more = h("button", { type: "button", class: "tool", title: "Move, copy or remove the row", "aria-label": "Row menu",
      "aria-haspopup": "true", "aria-expanded": "false", "data-testid": "row-menu", onclick: () => this.open(this.menu.hidden) },
    icon("more"))
    this.items = Object.fromEntries(Object.entries(MENU).map(([name, label]) => [name, tool(name, label, name)]))
    for (const [name, node] of Object.entries(this.items)) node.append(MENU[name])
    this.menu = h("div", { class: "menu", role: "group", "aria-label": "Row", hidden: true }, ...Object.values(this.items))
    this.element = h("div", { class: "srow", role: "row", "data-testid": "steer-row" },
      h("div", { class: "left", role: "presentation" }, this.matrix, this.far), this.caption.element, this.error, this.pictures,
      this.words, h("div", { class: "tools", role: "gridcell" }, this.flag, this.more, this.menu))
    this.element.onkeydown = (event) => (this.menu.contains(event.target) ? this.menuKey(event) : on.walk(event, this))
    this.menu.onclick = () => this.open(false)
    this.menu.onfocusout = ({ relatedTarget }) => {
      if (!this.menu.contains(relatedTarget) && relatedTarget !== this.more) this.open(false)
    }
  }

  /** Makes the cells for axes [{short, given, name, left, right, flipped}]. */
  setAxes(axes) {
    this.axes = axes
    this.cells = axes.map((axis, at) => {
      const mark = h("span", { class: "mark" })
      const pole = h("span", { class: "pole", "aria-hidden": "true" })
      const name = h("span", { class: "cell-name", "aria-hidden": "true" })
      const nudge = (sign) => {
        const label = `${axis.name}: ${sign > 0 ? "half an s.d. more" : "half an s.d. less"}`
        const node = h("button", { type: "button", tabIndex: -1, title: label, "aria-label": label },
          sign > 0 ? "+" : "−")
        node.onclick = (event) => {
          event.stopPropagation()
          this.nudge(at, sign)
        }
        return node
      }
      const cell = h("div", { class: "cell", role: "gridcell", tabIndex: -1, "data-testid": "cell" },
        name, h("span", { class: "cell-body" }, nudge(-1), mark, nudge(1)), pole)
      cell.onclick = () => this.next(at)
      cell.onkeydown = (event) => this.key(event, at)
      return { mark, cell, name, pole }
    })
    this.matrix.replaceChildren(...this.cells.map(({ cell }) => cell))
    const hasPoles = axes.some((axis) => poleOf("on", axis) || poleOf("off", axis))
    this.matrix.classList.toggle("poleless", !hasPoles)
    this.levels.forEach((_, at) => this.write(at))
  }

  /** A level as it is shown; `levels` are of z. */
  level(at) {
    return turnedLevel(this.levels[at], this.axes[at])
  }

  set(at, level) {
    this.levels = this.levels.map((old, j) => (j === at ? turnedLevel(level, this.axes[at]) : old))
    this.write(at)
    this.on.change(this)
  }

  next(at) {
    this.set(at, NEXT[this.level(at)] || "off")
  }

  /** Half an s.d. up or down from where the axis is; one that is at the query starts at the mean. */
  nudge(at, sign) {
    const level = this.level(at)
    const n = this.nSigma
    const now = typeof level === "number" ? level : { on: n, off: -n, query: 0 }[level]
    this.set(at, round4(clamp(now + sign * STEP, -MAX_LEVEL, MAX_LEVEL)))
  }

  key(event, at) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (KEYS[event.key]) this.set(at, KEYS[event.key])
    else if (event.key === "+" || event.key === "=") this.nudge(at, 1)
    else if (event.key === "-") this.nudge(at, -1)
    else if (event.key === "0") this.set(at, 0)
    else if ((event.key === "Enter" || event.key === " ") && event.target === this.cells[at].cell) this.next(at)
    else return
    event.preventDefault()
  }

  write(at) {
    const level = this.level(at)
    const { mark, cell, name, pole } = this.cells[at]
    const axis = this.axes[at]
    const where = poleOf(level, axis)
    const said = `${axis.name}: ${sayLevel(level)}${where ? ` (${where})` : ""}`
    setText(mark, markOf(level))
    setText(pole, where)
    setText(name, where || axis.given || axis.short)  // in narrow windows, in the pole's stead
    cell.dataset.level = typeof level === "string" ? level : "number"
    cell.setAttribute("aria-label", said)
    cell.title = said
  }

  /** Shows the items [number, title, address, tiny] of an answer. */
  paint({ items, side, where, error }, key) {
    this.shown = key
    this.side = side
    setText(this.error, error || "")
    setText(this.far, error ? "" : WHERE[where])
    this.element.classList.toggle("failed", Boolean(error))
    if (error) return
    while (this.tiles.length > items.length) this.tiles.pop().tile.remove()
    while (this.tiles.length < items.length) this.tiles.push(this.makeTile())
    items.forEach(([id, title, address, tiny], rank) => {
      const { tile, img, name } = this.tiles[rank]
      if (this.tiles[rank].address !== address) {
        this.tiles[rank].address = address
        img.src = address
        delete img.dataset.large
      }
      img.classList.toggle("tiny", Boolean(tiny))
      setText(name, title)
      tile.title = title
      tile.dataset.id = id
      tile.setAttribute("aria-label", `${rank + 1}: ${title}`)
    })
  }

  /** Fetches the pictures that are coarse; `large(side, id)` is the address of a full one. */
  sharpen(large) {
    for (const { tile, img } of this.tiles) {
      const { id } = tile.dataset
      sharpen(img, large(this.side, id), () => tile.dataset.id === id)
    }
  }

  makeTile() {
    const img = h("img", { alt: "", draggable: false, decoding: "sync" })
    const name = h("span", { class: "title" })
    const tile = h("button", { type: "button", class: "tile", role: "gridcell", tabIndex: -1, "data-testid": "tile" },
      h("span", { class: "pic" }, img), h("span", { class: "cap" }, name))
    tile.onclick = () => this.on.pick(Number(tile.dataset.id))
    this.pictures.append(tile)
    return { tile, img, name, address: "" }
  }

  /** Shows the words of an answer. */
  paintWords({ cloud, note, error }, key) {
    this.worded = key
    this.words.classList.remove("old")
    this.words.classList.toggle("empty", !cloud)
    setText(this.note, error || note || "")
    if (cloud) drawCloud(this.cloud, cloud)
  }

  /** What the arrow keys walk over, from left to right. */
  stops() {
    return [...this.cells.map(({ cell }) => cell), ...this.tiles.map(({ tile }) => tile), this.flag, this.more]
  }

  makeCaption() {
    const number = h("span", { class: "step-number" })
    const text = h("input", { type: "text", maxLength: MAX_CAPTION, "data-testid": "row-caption" })
    text.onchange = () => this.on.caption(text.value, this)
    text.onkeydown = (event) => {
      if (event.key === "Escape") text.value = this.heading
      if (event.key === "Escape" || event.key === "Enter") text.blur()
      event.stopPropagation()
    }
    return { element: h("div", { class: "step-caption", role: "gridcell", hidden: true }, number, text), number, text }
  }

  /** Whether the row is a step {number, heading} of the tour in hand; another press takes it out. */
  setStep(step, mayCaption) {
    const label = step ? "Remove from the tour" : "Add to the tour"
    this.flag.setAttribute("aria-pressed", String(Boolean(step)))
    this.flag.setAttribute("aria-label", label)
    this.flag.title = label
    const { element, number, text } = this.caption
    element.hidden = !step
    this.element.classList.toggle("flagged", Boolean(step))
    if (!step) return
    this.heading = step.heading
    setText(number, `Step ${step.number}`)
    text.setAttribute("aria-label", `Caption of step ${step.number}`)
    text.readOnly = !mayCaption
    if (!text.matches(":focus")) text.value = step.heading
  }

  // the menu

  open(isOpen) {
    const hadFocus = this.menu.contains(this.element.getRootNode().activeElement)
    this.menu.hidden = !isOpen
    this.more.setAttribute("aria-expanded", String(isOpen))
    if (isOpen) Object.values(this.items).find((item) => !item.disabled)?.focus()
    else if (hadFocus) this.more.focus()
  }

  menuKey(event) {
    if (event.key === "Escape") return this.open(false)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const items = Object.values(this.items).filter((item) => !item.disabled)
    items.at((items.indexOf(event.target) + step) % items.length).focus()
  }
}
