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

class Panel {
  constructor(root) {
    this.rev = null
    this.locked = new Set()
    this.active = 0
    this.wire = new Wire({
      question: () => this.question(),
      onAnswer: (answer) => this.paint(answer),
      onTrouble: (sentence) => this.trouble(sentence),
      askServer: (body) => this.send("ask", body),
    })
    this.tiles = new Tiles({
      pick: (id) => this.act("pick", { id }),
      picture: (id) => this.wire.picture(id),
    })
    this.commitSoon = debounce(() => this.send("commit", this.view()), COMMIT_MS)
    this.speakSoon = debounce(() => setText(this.results.live, this.tiles.sentence()), SPEAK_MS)
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

  question() {
    const { run, rows } = this.data
    return { run, rows, z: this.z, k: this.k, side: this.whole ? 0 : 2 }
  }

  build(root) {
    this.query = buildQuery((how) => this.act("choose", { how }))
    this.controls = buildControls({
      filter: () => this.filter(),
      sort: () => this.setSort(!this.byEffect, true),
      span: (span) => this.setSpan(span, true),
      jump: (sigmas) => this.jump(sigmas),
      reset: () => this.resetAll(),
      random: () => this.randomZ(),
    })
    this.results = buildResults(this.tiles.element, {
      k: (k) => this.setK(k),
      whole: (checked) => this.setWhole(checked),
    })
    const parts = [this.query, this.controls, this.results].map((part) => part.element)
    root.append(h("div", { class: "frame" },
      h("div", { class: "explore", "data-testid": "explore" }, ...parts)))
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
    this.wire.reset()
    if (!sameRun || this.whole !== data.whole) this.wire.forget()
    this.commitSoon.cancel()
    this.z = [...data.z]
    this.base = data.base
    this.k = data.k
    this.whole = data.whole
    this.locked = new Set(data.locked)
    this.results.k.value = this.k
    this.results.whole.checked = this.whole
    setText(this.results.wholeLabel, data.wholeLabel)
    this.showQuery(data.query)
    if (!sameRun) this.makeRows()
    this.setSpan(data.span, false)
    this.setSort(data.byEffect, false)
    this.rows.forEach((row, j) => row.setLocked(this.locked.has(j)))
    this.focusDim(Math.min(this.active, this.rows.length - 1))
    this.controls.find.style.display = this.rows.length > 8 ? "" : "none"
    this.wire.remember(data.first.items)
    if (!sameRun) this.tiles.ids = []
    this.trouble("")
    this.tiles.startGesture()
    this.paint({ ...data.first, seq: this.wire.shown })
  }

  showQuery({ picture, title, text, tiny }) {
    this.query.picture.src = picture
    this.query.picture.alt = title
    this.query.picture.classList.toggle("tiny", tiny)
    setText(this.query.title, title)
    setText(this.query.text, text)
  }

  makeRows() {
    const on = {
      input: (j, value) => this.setDim(j, value),
      commit: () => this.commitSoon(),
      lock: (j) => this.toggleLock(j),
      focus: (j) => this.focusDim(j),
      hold: (isHeld) => this.hold(isHeld),
    }
    this.rows = this.data.dims.map((dim, j) => new Row({ ...dim, j }, on))
    this.controls.list.classList.toggle("dense", this.rows.length > 8)
    this.active = 0
  }

  // changes

  setDim(j, value) {
    this.z[j] = round4(value)
    this.rows[j].write(this.z[j])
    this.changed({ gesture: true })
  }

  /** A held thumb is one gesture however long it rests; what comes after is the next one. */
  hold(isHeld) {
    this.held = isHeld
    if (isHeld) this.lastInput = 0
  }

  changed({ gesture }) {
    if (gesture) {
      const now = performance.now()
      const rested = !this.held && now - this.lastInput > GESTURE_PAUSE_MS
      if (!this.lastInput || rested) this.tiles.startGesture()
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
    const normal = () =>
      Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
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
    this.results.k.value = k
    this.lastInput = 0
    this.tiles.clearMarks()  // what a longer list shows in addition has not entered
    this.changed({ gesture: false })
    this.commitSoon()
  }

  setWhole(whole) {
    this.whole = whole
    this.wire.forget()
    this.changed({ gesture: false })
    this.commitSoon()
  }

  setSpan(span, tell) {
    this.span = span
    this.controls.span.value = span
    this.rows.forEach((row, j) => {
      row.setRange(span, this.base[j])
      row.write(this.z[j])
    })
    if (tell) this.commitSoon()
  }

  setSort(byEffect, tell) {
    this.byEffect = byEffect
    this.controls.sort.setAttribute("aria-pressed", String(byEffect))
    const order = this.rows.map((row) => row)
    if (byEffect) order.sort((a, b) => b.dim.effect - a.dim.effect || a.dim.j - b.dim.j)
    this.controls.list.replaceChildren(...order.map((row) => row.element))
    if (tell) this.commitSoon()
  }

  filter() {
    const wanted = this.controls.find.value.trim().toLowerCase()
    for (const row of this.rows) {
      const { name, j } = row.dim
      const fits = !wanted || name.toLowerCase().includes(wanted) || String(j + 1) === wanted
      row.element.hidden = !fits
    }
  }

  focusDim(j) {
    if (this.rows[this.active]) this.rows[this.active].element.classList.remove("active")
    this.active = j
    this.rows[j].element.classList.add("active")
    setText(this.controls.jumpName, this.rows[j].dim.name)
    this.controls.jumps.setAttribute("aria-label", `Move ${this.rows[j].dim.name} to`)
  }

  // answers

  paint(answer) {
    this.tiles.grid.style.setProperty("--aspect", this.data.aspects[this.whole ? 0 : 1])
    this.tiles.show(answer.ids, answer.seq)
    setText(this.results.heading, `Top ${answer.ids.length}`)
    this.showFar(answer.far)
    this.speakSoon()
  }

  showFar({ distance, limit, far }) {
    const note = this.results.far
    note.classList.toggle("on", far)
    if (!far) return
    const [head, tail] = distance > 2 * limit
      ? ["Far from the data", " These results say little."] : ["At the edge of the data", ""]
    const text = `${head}: ${distance.toPrecision(2)} s.d. from the nearest training query, ` +
      `where 99 % of queries lie within ${limit.toPrecision(2)}.${tail}`
    if (note.dataset.text === text) return
    note.dataset.text = text
    note.replaceChildren(icon("warn"), text)
  }

  trouble(sentence) {
    setText(this.results.error, sentence)
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
