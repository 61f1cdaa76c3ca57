/* The Steer panel: rows of levels over a few axes, the pictures and words of each.
 *
 * The browser owns the matrix between two `rev`s and asks only for the rows whose setting is not
 * the one that they show, so that a changed cell repaints its own row and no other.
 */

import { debounce, h, setText } from "./dom.js"
import { showQuery } from "./layout.js"
import { turnedLevel } from "./levels.js"
import { COMMIT_MS, Panel, SPEAK_MS, mounted } from "./panel.js"
import { AxisHeads, buildSteerBar, buildSteerQuery } from "./steer_head.js"
import { SHARP_MS } from "./sharp.js"
import { SteerRow } from "./steer_row.js"
import { Wire } from "./wire.js"

const CLOUDS_AT_ONCE = 2

/** What tells the steps of a tour apart, whatever they are called. */
const stepKey = ({ run, query, asks, axes, levels, n_sigma }) =>
  JSON.stringify([run, query, asks, axes, levels, n_sigma])

class SteerPanel extends Panel {
  constructor(root) {
    super()
    this.rows = []
    this.steps = new Map()
    this.wire = new Wire({
      question: () => this.question(),
      onAnswer: (answer) => this.paint(answer, "paint"),
      onTrouble: (sentence) => setText(this.error, sentence),
      askServer: (body) => this.send("ask", body),
    })
    // Words take longer than pictures, which must not wait for them.
    this.wordWire = new Wire({
      question: () => this.wordQuestion(),
      onAnswer: (answer) => this.paint(answer, "paintWords"),
      onTrouble: (sentence) => setText(this.error, sentence),
      askServer: (body) => this.send("ask_words", body),
      patience: 60000,  // the first ones wait until all texts are read
    })
    this.commitSoon = debounce(() => this.send("commit", this.view()), COMMIT_MS)
    this.speakSoon = debounce(() => this.speak(), SPEAK_MS)
    this.sharpenSoon = debounce(() => this.sharpen(), SHARP_MS)
    const choose = (how, id) => this.act("choose", { how, id })
    this.query = buildSteerQuery(choose)
    this.bar = buildSteerBar({
      sigma: (n) => this.setSigma(n), preset: (n) => this.preset(n), addRow: () => this.addRow(), choose,
      precise: () => this.setPrecise(this.bar.panel.hidden),
    })
    this.heads = new AxisHeads({
      swap: (at, key) => this.setAxes(this.axes.map((old, n) => (n === at ? key : old))),
      drop: (at) => this.dropAxis(at), add: (key) => this.addAxis(key),
    })
    this.error = h("p", { class: "error", role: "alert", "data-testid": "steer-error" })
    this.engine = h("p", { class: "muted engine", "data-testid": "engine" })
    this.live = h("p", { class: "sr", role: "status", "aria-live": "polite" })
    this.textHead = h("span", { class: "muted words-head", role: "columnheader" })
    this.list = h("div", { class: "srows", role: "presentation" })
    this.note = h("p", { class: "muted about-words" })
    this.top = h("div", { class: "srow top", role: "row" },
      this.heads.element, h("span", { class: "pictures-head", role: "columnheader" }, this.heads.more), this.textHead, h("span", {}))
    this.grid = h("div", { class: "matrix", role: "grid", "aria-label": "Rows of levels" }, this.top, this.list)
    this.frame = h("div", { class: "frame" },
      h("div", { class: "steer", "data-testid": "steer" },
        h("div", { class: "shead" }, this.query.element, this.bar.element), this.bar.panel,
        this.error, this.grid, this.engine, this.note, this.live))
    root.append(this.frame)
  }

  view() {
    return {
      rev: this.rev, axes: this.axes, rows: this.rows.map((row) => row.levels), n_sigma: this.nSigma,
    }
  }

  // what is asked

  keyOf(row) {
    const { asks, queryId } = this.data
    return [row.levels.join("_"), this.axes.join("_"), this.nSigma, asks, queryId].join("/")
  }

  part(row) {
    return {
      key: this.keyOf(row), run: this.data.run, query: this.data.queryId, asks: this.data.asks,
      axes: this.axes, levels: row.levels, n_sigma: this.nSigma,
    }
  }

  wordKey(row) {
    // Clouds come from queries of their own.
    return this.keyOf(row).split("/").slice(0, 4).join("/")
  }

  question() {
    return this.partsOf(this.rows.filter((row) => row.shown !== this.keyOf(row)))
  }

  wanted() {
    return this.data.wordKind ? this.rows.filter((row) => row.worded !== this.wordKey(row)) : []
  }

  wordQuestion() {
    const question = this.partsOf(this.wanted().slice(0, CLOUDS_AT_ONCE))
    return question && { ...question, cloud: true }
  }

  partsOf(rows) {
    return rows.length ? { parts: rows.map((row) => this.part(row)) } : null
  }

  ask() {
    this.wire.ask()
    for (const row of this.wanted()) row.words.classList.add("old")
    this.wordWire.ask()
  }

  paint(answer, how) {
    for (const part of answer.parts) {
      if ("engine" in part) setText(this.engine, part.engine)
      for (const row of this.rows) {
        if (this.keyOf(row) === part.key) row[how](part, how === "paint" ? part.key : this.wordKey(row))
      }
    }
    if (how === "paintWords") this.wordWire.ask()
    if (how === "paint") this.speakSoon()
    if (how === "paint") this.sharpenSoon()
  }

  // what changes

  adopt(data) {
    const other = !this.data || this.data.key !== data.key
    this.data = data
    this.rev = data.rev
    this.commitSoon.cancel()
    for (const wire of [this.wire, this.wordWire]) {
      wire.url = data.url
      wire.reset()
    }
    this.nSigma = data.nSigma
    this.axes = data.axes
    showQuery(this.query, data.query)
    this.bar.number.max = data.nItems - 1
    this.bar.number.value = typeof data.queryId === "number" ? data.queryId : ""
    this.frame.style.setProperty("--aspect", data.aspect)
    this.frame.classList.toggle("wordless", !data.wordKind)
    setText(this.textHead, data.wordKind)
    this.textHead.title = `${data.wordKind} of the ten best items of 20 queries`
    setText(this.note, data.wordKind
      ? "Size: frequency within the row. Underlined words go with the setting, slanted ones against it; grey ones have no clear relation."
      : "The items have no texts, so there are no word clouds.")
    const old = other ? [] : this.rows
    this.rows = data.rows.map((levels, n) => this.makeRow(levels, old[n]))
    this.layRows()
    this.rows.forEach((row, n) => data.first[n] && row.paint(data.first[n], this.keyOf(row)))
    setText(this.error, "")
    setText(this.engine, data.first.find((row) => row?.engine)?.engine ?? "")
    this.ask()
    this.sharpenSoon()
  }

  sharpen() {
    const { pictures, run } = this.data
    const large = (side, id) => pictures && `${pictures}/${run}/${side}/${id}`
    for (const row of this.rows) row.sharpen(large)
  }

  update(component) {
    super.update(component)
    const { colors, tour, words } = component.data
    for (const [name, color] of Object.entries(colors)) this.frame.style.setProperty(`--word-${name}`, color)
    if (words) this.wordWire.receive(words)
    this.heads.setMarks(component.data.marks)
    this.steps = new Map(tour.map((step, n) => [stepKey(step), { number: n + 1, heading: step.heading }]))
    this.markFlags()
  }

  /** Flags and captions of rows that are steps of the tour in hand. */
  markFlags() {
    const { mayCaption } = this.data
    for (const row of this.rows) row.setStep(this.steps.get(stepKey(this.part(row))) || null, mayCaption)
  }

  makeRow(levels, old) {
    if (old) {
      old.levels = levels
      return old
    }
    return new SteerRow(levels, {
      change: (row) => this.changed(row),
      tool: (name, row) => this.tool(name, row),
      caption: (caption, row) => this.act("caption", { row: this.rows.indexOf(row), caption }),
      pick: (id) => this.act("pick", { id }),
      walk: (event, row) => this.walk(event, row),
    })
  }

  /** Puts axes, cells and rows on the page as they are now. */
  layRows() {
    const { dims, order, maxAxes, maxRows } = this.data
    this.frame.style.setProperty("--axes", this.axes.length)
    this.heads.show(this.axes, dims, order, maxAxes)
    for (const row of this.rows) {
      row.nSigma = this.nSigma
      row.setAxes(this.axes.map((key) => dims[key]))
    }
    this.list.replaceChildren(...this.rows.map((row) => row.element))
    this.rows.forEach((row, n) => {
      row.element.setAttribute("aria-label", `Row ${n + 1}`)
      const { up, down, copy, remove } = row.items
      up.disabled = n === 0
      down.disabled = n === this.rows.length - 1
      copy.disabled = this.rows.length >= maxRows
      remove.disabled = this.rows.length < 2
    })
    this.bar.sigma.value = this.nSigma
    this.bar.add.disabled = this.rows.length >= maxRows
    this.bar.presets[0].disabled = order.length < 2
    this.bar.presets[1].disabled = order.length < 3
    const n = `${this.nSigma} s.d.`
    setText(this.bar.legend, `● on: mean + ${n}   ○ off: mean − ${n}   – as the query   number: s.d.`)
    this.rove(null)
  }

  setPrecise(isOn) {
    this.bar.panel.hidden = !isOn
    this.bar.precise.setAttribute("aria-expanded", String(isOn))
    this.grid.classList.toggle("numbered", isOn)
  }

  changed() {
    this.markFlags()
    this.ask()
    this.commitSoon()
  }

  relaid() {
    this.layRows()
    this.changed()
  }

  setSigma(n) {
    this.nSigma = n
    this.relaid()
  }

  setAxes(axes, levels = (row) => row.levels) {
    this.axes = axes
    for (const row of this.rows) row.levels = levels(row)
    this.relaid()
  }

  dropAxis(at) {
    this.setAxes(this.axes.filter((_, n) => n !== at), (row) => row.levels.filter((_, n) => n !== at))
  }

  addAxis(key) {
    this.setAxes([...this.axes, key], (row) => [...row.levels, "query"])
  }

  /** All on/off combinations of the first `n` axes, taking more where there are fewer. */
  preset(n) {
    const free = this.data.order.filter((key) => !this.axes.includes(key))
    this.axes = [...this.axes, ...free].slice(0, n)
    const rows = Array.from({ length: 2 ** n }, (_, r) =>
      this.axes.map((key, a) => turnedLevel((r >> (n - 1 - a)) & 1 ? "on" : "off", this.data.dims[key])))
    this.rows = rows.map((levels, at) => this.makeRow(levels, this.rows[at]))
    this.relaid()
  }

  addRow() {
    this.rows.push(this.makeRow(this.axes.map(() => "query")))
    this.relaid()
    this.rows.at(-1).cells[0].cell.focus()
  }

  tool(name, row) {
    const at = this.rows.indexOf(row)
    if (name === "tour") return this.act("add", { row: at })
    if (name === "remove") this.rows.splice(at, 1)
    if (name === "copy") this.rows.splice(at + 1, 0, this.makeRow([...row.levels]))
    if (name === "up" || name === "down") {
      const to = at + (name === "up" ? -1 : 1)
      if (to < 0 || to >= this.rows.length) return undefined
      this.rows.splice(at, 1)
      this.rows.splice(to, 0, row)
    }
    this.relaid()
    return undefined
  }

  // keys

  /** One stop for Tab in the whole matrix; the arrow keys walk over cells, pictures and tools. */
  rove(target) {
    const stops = this.rows.flatMap((row) => row.stops())
    const chosen = stops.includes(target) ? target : stops[0]
    for (const stop of stops) stop.tabIndex = stop === chosen ? 0 : -1
  }

  walk(event, row) {
    const at = row.stops().indexOf(event.target)
    if (at < 0) return
    const n = this.rows.indexOf(row)
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault()
      this.tool(event.key === "ArrowUp" ? "up" : "down", row)
      this.rove(event.target)
      event.target.focus()
      return
    }
    const [across, down] = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
    }[event.key] || [0, 0]
    const next = (across || down) && this.rows[n + down] ? this.rows[n + down].stops()[at + across] : null
    if (!next) return
    event.preventDefault()
    this.rove(next)
    next.focus()
  }

  speak() {
    const said = this.rows.map((row, n) => {
      const first = row.tiles[0] ? row.tiles[0].name.textContent : "none"
      return `Row ${n + 1}: ${first}.`
    })
    setText(this.live, said.join(" "))
  }

  close() {
    super.close()
    this.wordWire.close()
    this.sharpenSoon.cancel()
  }
}

export default mounted(SteerPanel)
