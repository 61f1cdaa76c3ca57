/* The Compare panel: one set of sliders, a column of retrieved items per run.
 *
 * A slider is a factor of the first run, and its value a shift in units of an axis' range. Every
 * run moves the axis that belongs to the factor; a run without one stays where it is. As on
 * Explore the browser owns the shifts between two `rev`s.
 */

import { CompareMaps } from "./compare_maps.js"
import { debounce, h, setText } from "./dom.js"
import { WHERE, buildQuery, buildResults, showQuery } from "./layout.js"
import { COMMIT_MS, Panel, SPEAK_MS, mounted } from "./panel.js"
import { Sliders } from "./sliders.js"
import { Tiles } from "./tiles.js"
import { Wire } from "./wire.js"

/** One run: its name, what it moves, its grid. */
class Column {
  /** @param owner the panel, @param run {id, letter, title, method, base, parts} */
  constructor(owner, run, index) {
    this.owner = owner
    this.run = run
    this.tiles = new Tiles({
      pick: (id) => owner.act("pick", { id }),
      picture: (id) => owner.wire.picture(id),
    })
    this.tiles.grid.setAttribute("aria-label", `Retrieved items of ${run.title}`)
    this.tiles.grid.title = "Click an item to make it the query"
    this.part = h("p", { class: "part", "data-testid": "part" })
    this.far = h("p", { class: "note", "data-testid": "far" })
    this.error = h("p", { class: "error", role: "alert" })
    this.engine = h("p", { class: "muted engine", "data-testid": "engine" })
    this.element = h(
      "article", { class: "run", "aria-label": run.title, "data-testid": `run-${index + 1}` },
      h("header", {},
        h("span", { class: "letter", "aria-hidden": "true" }, run.letter),
        h("span", { class: "names" },
          h("b", { title: run.title }, h("bdi", {}, run.title)),
          h("span", { class: "muted" }, run.method))),
      this.part, this.error, this.tiles.element, this.engine, this.far)
  }

  /** Its z: the query's, with the axes that belong to moved factors shifted. */
  z() {
    const z = [...this.run.base]
    this.run.parts.forEach(({ axis, step }, factor) => {
      if (axis !== null) z[axis] += this.owner.sliders.values[factor] * step
    })
    return z
  }

  /** Shows which of the run's axes moves with a factor. */
  showPart(factor) {
    const { label, why, axis } = this.run.parts[factor]
    setText(this.part, label)
    this.part.title = why
    this.part.classList.toggle("none", axis === null)
  }

  paint(answer, seq) {
    setText(this.error, answer.error || "")
    if (answer.error) return
    const { data, whole } = this.owner
    this.tiles.grid.style.setProperty("--aspect", data.aspects[whole ? 0 : 1])
    this.tiles.show(answer.ids, seq)
    this.owner.maps.light(this.owner.columns.indexOf(this), answer.ids)
    setText(this.engine, answer.engine)
    setText(this.far, WHERE[answer.far.where])
  }
}

class ComparePanel extends Panel {
  constructor(root) {
    super()
    this.columns = []
    // One question for all runs: their columns change together, and show the same items.
    this.wire = new Wire({
      question: () => this.question(),
      onAnswer: (answer) => this.paint(answer),
      onTrouble: (sentence) => setText(this.results.error, sentence),
      askServer: (body) => this.send("ask", body),
    })
    this.commitSoon = debounce(() => {
      this.toldFactor = this.sliders.active
      this.send("commit", this.view())
    }, COMMIT_MS)
    this.speakSoon = debounce(() => this.speak(), SPEAK_MS)
    this.sliders = new Sliders({
      gesture: () => this.each(({ tiles }) => tiles.startGesture()),
      change: () => {
        this.maps.moved()
        this.wire.ask()
      },
      rest: () => this.commitSoon(),
      release: () => this.focus(this.sliders.active),
      focus: (factor) => this.focus(factor),
    })
    this.query = buildQuery((how) => this.act("choose", { how }))
    this.grid = h("div", { class: "runs", "data-testid": "runs" })
    this.results = buildResults(this.grid, {
      k: (k) => this.setK(k),
      whole: (checked) => this.setWhole(checked),
    })
    this.maps = new CompareMaps((id) => this.act("pick", { id }))
    this.results.heading.after(this.maps.button)
    this.unit = h("p", { class: "muted unit" })
    this.sliders.element.insertBefore(this.unit, this.sliders.controls.list)
    const parts = [this.query, this.sliders, this.results].map((part) => part.element)
    root.append(h("div", { class: "frame" },
      h("div", { class: "explore compare", "data-testid": "compare" }, ...parts)))
  }

  update(component) {
    super.update(component)
    this.sliders.setMarks(component.data.marks)
  }

  each(run) {
    this.columns.forEach(run)
  }

  view() {
    const { values, span, active } = this.sliders
    return {
      rev: this.rev, shifts: values, factor: active, span, k: this.k, whole: this.whole,
      locked: this.sliders.lockedDims(), by_effect: this.sliders.byEffect,
    }
  }

  question() {
    const runs = this.columns.map((column) => ({ run: column.run.id, z: column.z() }))
    const { asks, side } = this.data
    return { runs, rows: "test", asks, k: this.k, side: this.whole ? 0 : side }
  }

  adopt(data) {
    const sameRuns = this.data && this.data.key === data.key
    const sameQuery = sameRuns && String(this.data.runs[0].base) === String(data.runs[0].base)
    this.data = data
    this.rev = data.rev
    this.commitSoon.cancel()
    this.wire.url = data.url
    this.wire.reset()
    if (!sameRuns || this.whole !== data.whole) this.wire.forget()
    this.k = data.k
    this.whole = data.whole
    Object.assign(this.results.k, { max: data.maxK, value: this.k })
    this.results.whole.checked = this.whole
    setText(this.results.wholeLabel, data.wholeLabel)
    this.results.wholeLabel.parentElement.hidden = !data.wholeLabel
    setText(this.unit, data.unit)
    this.unit.title = data.about_unit
    showQuery(this.query, data.query)
    if (!sameRuns) this.makeColumns(data)
    this.adoptSliders(data)
    this.maps.adopt(data)
    this.each((column, i) => {
      const { base, parts } = data.runs[i]
      Object.assign(column.run, { base, parts })
      if (sameQuery) column.tiles.startGesture()
      else column.tiles.clearMarks()
      column.showPart(data.factor)
    })
    this.wire.remember(data.first.items)
    setText(this.results.error, "")
    this.paint({ ...data.first, seq: this.wire.shown })
    this.showHeading()
  }

  adoptSliders(data) {
    this.isAdopting = true
    this.toldFactor = data.factor
    const base = data.shifts.map(() => 0)
    this.sliders.adopt(data.dims, { ...data, values: data.shifts, base })
    this.sliders.focusDim(data.factor)
    this.sliders.rows.forEach((row, factor) => this.label(row, factor))
    this.isAdopting = false
  }

  makeColumns(data) {
    this.columns = data.runs.map((run, i) => new Column(this, { ...run }, i))
    this.grid.style.setProperty("--n", this.columns.length)
    this.grid.dataset.n = this.columns.length
    this.grid.replaceChildren(...this.columns.map(({ element }) => element))
    this.maps.make(this.columns)
  }

  /** Under a slider: which axis of each run it moves. */
  label(row, factor) {
    const chips = this.columns.map(({ run }) => {
      const { short, label, why, axis } = run.parts[factor]
      const title = `${run.title}: ${label}${why ? `, ${why}` : ""}`
      return h("span", { class: axis === null ? "chip none" : "chip", title },
        h("b", {}, run.letter), short)
    })
    row.element.append(h("span", { class: "chips", "data-testid": `chips-${factor + 1}` }, ...chips))
  }

  /** Another factor is in hand: the columns name their axes, the strips below follow. */
  focus(factor) {
    if (this.isAdopting) return
    this.each((column) => column.showPart(factor))
    // A held thumb is reported when it is released: one step of the history per drag.
    if (factor !== this.toldFactor && !this.sliders.held) this.commitSoon()
  }

  showHeading() {
    setText(this.results.heading, `Top ${this.k} of each run`)
  }

  setK(k) {
    this.k = k
    this.results.k.value = k
    this.showHeading()
    this.sliders.endGesture()
    this.each(({ tiles }) => tiles.clearMarks())
    this.wire.ask()
    this.commitSoon()
  }

  paint(answer) {
    this.each((column, i) => column.paint(answer.runs[i], answer.seq))
    this.speakSoon()
  }

  close() {
    super.close()
    this.maps.close()
  }

  speak() {
    const said = this.columns.map(({ run, tiles }) => `${run.letter}: ${tiles.sentence()}`)
    setText(this.results.live, said.join(" "))
  }
}

export default mounted(ComparePanel)
