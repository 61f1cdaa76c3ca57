/* The Explore panel: query, sliders and the grid that follows them while they are dragged.
 *
 * The browser owns z between two `rev`s. Python sends a new `rev` only when it changes the state
 * itself (another query, a link, the back button); every other rerun leaves the panel alone, so a
 * thumb that is being dragged is never overwritten.
 */

const panels = new WeakMap()
const GESTURE_PAUSE_MS = 900
const COMMIT_MS = 220
const SPEAK_MS = 900
const JUMPS = [-3, -2, -1, 0, 1, 2, 3]

class Panel {
  constructor(root) {
    this.rev = null
    this.locked = new Set()
    this.active = 0
    this.wire = new Wire({
      question: () => ({ run: this.data.run, rows: this.data.rows, z: this.z, k: this.k, side: this.side() }),
      onAnswer: (answer) => this.paint(answer),
      onTrouble: (sentence) => this.trouble(sentence),
      askServer: (body) => this.send("ask", body),
    })
    this.tiles = new Tiles({
      pick: (id) => this.act("pick", { id }),
      picture: (id) => this.wire.picture(id),
    })
    this.commitSoon = debounce(() => this.send("commit", this.view()), COMMIT_MS)
    this.speakSoon = debounce(() => setText(this.live, this.tiles.sentence()), SPEAK_MS)
    this.build(root)
  }

  send(name, value) {
    this.component.setTriggerValue(name, value)
  }

  /** An action for Python, together with whatever has not been committed yet. */
  act(name, value) {
    this.commitSoon.cancel()
    this.send(name, { ...value, view: this.view() })
  }

  view() {
    return {
      rev: this.rev, z: this.z, k: this.k, whole: this.whole, span: this.span,
      by_effect: this.byEffect, locked: [...this.locked].sort((a, b) => a - b),
    }
  }

  side() {
    return this.whole ? 0 : 2
  }

  build(root) {
    this.picture = h("img", { alt: "", class: "query-picture", draggable: false })
    this.queryTitle = h("b", {})
    this.queryText = h("span", { class: "muted" })
    const choose = (how, label, glyph) =>
      h("button", { type: "button", onclick: () => this.act("choose", { how }), "data-testid": `query-${how}` },
        icon(glyph), label)
    const query = h(
      "section", { class: "query", "aria-label": "Query", "data-testid": "query" },
      this.picture,
      h("div", { class: "about" },
        h("span", { class: "label" }, "Query"), this.queryTitle, this.queryText,
        h("div", { class: "buttons" },
          choose("gallery", "Choose", "gallery"), choose("random", "Random", "dice"))),
    )
    this.find = h("input", {
      type: "search", placeholder: "Find a dimension", "aria-label": "Find a dimension", class: "find",
    })
    this.find.oninput = () => this.filter()
    this.sort = h("button", {
      type: "button", class: "toggle", title: "Put the dimensions that change the result most first",
      "data-testid": "sort-by-effect",
    }, "By effect")
    this.sort.onclick = () => this.setSort(!this.byEffect, true)
    this.spanBox = h("select", { "aria-label": "Range of the sliders", "data-testid": "span" },
      ...[2, 4, 10].map((s) => h("option", { value: s }, `±${s} s.d.`)))
    this.spanBox.onchange = () => this.setSpan(Number(this.spanBox.value), true)
    this.list = h("div", { class: "rows", "data-testid": "sliders" })
    this.jumpName = h("b", {})
    this.jumps = h("div", { class: "jump", role: "group", "data-testid": "jump" }, this.jumpName,
      ...JUMPS.map((n) => h("button", {
        type: "button", onclick: () => this.jump(n),
        "aria-label": n ? `Mean ${n > 0 ? "plus" : "minus"} ${Math.abs(n)} s.d.` : "Mean",
      }, n ? `${n > 0 ? "+" : "−"}${Math.abs(n)}σ` : "μ")))
    const controls = h(
      "section", { class: "controls", "aria-label": "Latent dimensions" },
      h("div", { class: "bar" }, this.find, this.sort, this.spanBox),
      this.list,
      this.jumps,
      h("div", { class: "bar end" },
        h("button", { type: "button", onclick: () => this.resetAll(), "data-testid": "reset-all" },
          icon("reset"), "Reset all"),
        h("button", { type: "button", onclick: () => this.randomZ(), "data-testid": "random-z",
          title: "A random point of the model's own distribution" }, icon("dice"), "Random z")),
    )
    this.heading = h("h2", {})
    this.kBox = h("input", {
      type: "number", min: 1, max: 30, step: 1, "aria-label": "Number of results", "data-testid": "k",
    })
    this.kBox.onchange = () => this.setK(clamp(Math.round(Number(this.kBox.value)) || 10, 1, 30))
    this.wholeBox = h("input", { type: "checkbox", "data-testid": "whole" })
    this.wholeBox.onchange = () => {
      this.whole = this.wholeBox.checked
      this.wire.forget()
      this.changed({ gesture: false })
      this.commitSoon()
    }
    this.wholeLabel = h("span", {})
    this.far = h("p", { class: "far", "data-testid": "far-warning" })
    this.error = h("p", { class: "error", role: "alert", "data-testid": "explore-error" })
    this.live = h("p", { class: "sr", role: "status", "aria-live": "polite" })
    const results = h(
      "section", { class: "results", "aria-label": "Results" },
      h("div", { class: "bar" }, this.heading, h("span", { class: "grow" }),
        h("label", { class: "check" }, this.wholeBox, this.wholeLabel),
        h("label", { class: "check" }, "Show", this.kBox)),
      this.error, this.tiles.element, this.far, this.live,
    )
    this.element = h("div", { class: "explore", "data-testid": "explore" }, query, controls, results)
    root.append(h("div", { class: "frame" }, this.element))
  }

  /** Called on every rerun; takes the state over only when its `rev` is new. */
  update(component) {
    this.component = component
    const data = component.data
    if (data.rev !== this.rev) this.adopt(data)
    else this.data = data
    if (data.answer) this.wire.receive(data.answer)
  }

  adopt(data) {
    const sameRun = this.data && this.data.key === data.key
    this.data = data
    this.rev = data.rev
    this.wire.url = data.url
    if (!sameRun || this.whole !== data.whole) this.wire.forget()
    this.commitSoon.cancel()
    this.z = [...data.z]
    this.base = data.base
    this.k = data.k
    this.whole = data.whole
    this.locked = new Set(data.locked)
    this.kBox.value = this.k
    this.wholeBox.checked = this.whole
    setText(this.wholeLabel, data.wholeLabel)
    this.picture.src = data.query.picture
    this.picture.alt = data.query.title
    this.picture.classList.toggle("tiny", data.query.tiny)
    setText(this.queryTitle, data.query.title)
    setText(this.queryText, data.query.text)
    if (!sameRun) this.makeRows()
    this.setSpan(data.span, false)
    this.setSort(data.byEffect, false)
    this.rows.forEach((row, j) => row.setLocked(this.locked.has(j)))
    this.focusDim(Math.min(this.active, this.rows.length - 1))
    this.find.style.display = this.rows.length > 8 ? "" : "none"
    this.wire.remember(data.first.items)
    if (!sameRun) this.tiles.ids = []
    this.tiles.startGesture()
    this.paint({ ...data.first, seq: this.wire.shown })
  }

  makeRows() {
    const on = {
      input: (j, value) => this.setDim(j, value),
      commit: () => this.commitSoon(),
      lock: (j) => this.toggleLock(j),
      focus: (j) => this.focusDim(j),
    }
    this.rows = this.data.dims.map((dim, j) => new Row({ ...dim, j }, on))
    this.list.classList.toggle("dense", this.rows.length > 8)
    this.active = 0
  }

  // changes

  setDim(j, value) {
    this.z[j] = round4(value)
    this.rows[j].write(this.z[j])
    this.changed({ gesture: true })
  }

  changed({ gesture }) {
    if (gesture) {
      const now = performance.now()
      if (!this.lastInput || now - this.lastInput > GESTURE_PAUSE_MS) this.tiles.startGesture()
      this.lastInput = now
    }
    this.wire.ask()
  }

  /** Sets every dimension that is not locked. */
  setFree(values) {
    this.z = this.z.map((old, j) => (this.locked.has(j) ? old : round4(values[j])))
    this.rows.forEach((row, j) => row.write(this.z[j]))
    this.lastInput = 0
    this.changed({ gesture: true })
    this.commitSoon()
  }

  resetAll() {
    this.setFree(this.base)
  }

  randomZ() {
    const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
    this.setFree(this.data.dims.map(({ mean, std }) => mean + std * normal()))
  }

  jump(sigmas) {
    const { mean, std } = this.data.dims[this.active]
    this.lastInput = 0
    this.setDim(this.active, mean + sigmas * std)
    this.commitSoon()
  }

  toggleLock(j) {
    if (!this.locked.delete(j)) this.locked.add(j)
    this.rows[j].setLocked(this.locked.has(j))
    this.commitSoon()
  }

  setK(k) {
    this.k = k
    this.kBox.value = k
    this.changed({ gesture: false })
    this.commitSoon()
  }

  setSpan(span, tell) {
    this.span = span
    this.spanBox.value = span
    this.rows.forEach((row, j) => {
      row.setRange(span, this.base[j])
      row.write(this.z[j])
    })
    if (tell) this.commitSoon()
  }

  setSort(byEffect, tell) {
    this.byEffect = byEffect
    this.sort.setAttribute("aria-pressed", String(byEffect))
    const order = this.rows.map((row) => row)
    if (byEffect) order.sort((a, b) => b.dim.effect - a.dim.effect || a.dim.j - b.dim.j)
    this.list.replaceChildren(...order.map((row) => row.element))
    if (tell) this.commitSoon()
  }

  filter() {
    const wanted = this.find.value.trim().toLowerCase()
    for (const row of this.rows) {
      const number = String(row.dim.j + 1)
      row.element.hidden = Boolean(wanted) && !row.dim.name.toLowerCase().includes(wanted) && number !== wanted
    }
  }

  focusDim(j) {
    if (this.rows[this.active]) this.rows[this.active].element.classList.remove("active")
    this.active = j
    this.rows[j].element.classList.add("active")
    setText(this.jumpName, this.rows[j].dim.name)
    this.jumps.setAttribute("aria-label", `Move ${this.rows[j].dim.name} to`)
  }

  // answers

  paint(answer) {
    this.tiles.grid.style.setProperty("--aspect", this.data.aspects[this.whole ? 0 : 1])
    this.tiles.show(answer.ids, answer.seq)
    setText(this.heading, `Top ${answer.ids.length}`)
    const { distance, limit, far } = answer.far
    this.far.classList.toggle("on", far)
    if (far) {
      const text = `Far from the data: ${distance.toPrecision(2)} s.d. from the nearest training query, ` +
        `where 99 % of queries lie within ${limit.toPrecision(2)}. These results say little.`
      if (this.far.dataset.text !== text) {
        this.far.dataset.text = text
        this.far.replaceChildren(icon("warn"), text)
      }
    }
    this.speakSoon()
  }

  trouble(sentence) {
    setText(this.error, sentence)
  }

  close() {
    this.wire.close()
    this.commitSoon.cancel()
    this.speakSoon.cancel()
  }
}

export default function (component) {
  const { parentElement } = component
  let panel = panels.get(parentElement)
  if (!panel) {
    panel = new Panel(parentElement)
    panels.set(parentElement, panel)
  }
  panel.update(component)
  return () => {
    panel.close()
    panels.delete(parentElement)
  }
}
