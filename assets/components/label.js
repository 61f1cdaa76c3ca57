/* The Label panel: keys in, labels out. What stands where is in label_desk.js, how labels travel in
 * label_queue.js, how items look in label_sheet.js, label_focus.js and label_zoom.js.
 */

import { clamp, h, setText } from "./dom.js"
import { Desk, FLAG, NOTHING, Pace, Places, SKIPPED } from "./label_desk.js"
import { Focus } from "./label_focus.js"
import { LabelItems } from "./label_items.js"
import { Meanwhile } from "./label_meanwhile.js"
import { Overlay, guidelineHelp, keysHelp } from "./label_overlay.js"
import { LabelQueue, newId } from "./label_queue.js"
import { SHEET, Sheet, answerOf, betweenLevels, inWords, isAnswer, pressedMark } from "./label_sheet.js"
import { Zoom } from "./label_zoom.js"
import { mounted } from "./panel.js"

// A held key may move and nothing else: what it writes would be about items nobody has looked at.
const MAY_REPEAT = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"])

class LabelPanel {
  constructor(root) {
    this.rev = null
    this.asking = null  // older steps that were asked for
    this.owed = 0  // how many more are to be taken back once they are here
    this.items = new LabelItems(() => this.paint())
    this.seen = 0  // the number of the last event of this annotator that this page was told of
    this.own = new Set()  // ids of the events of this page
    this.latest = new Map()  // by place: the id of the last event of this page
    this.queue = new LabelQueue({
      seen: () => this.seen,
      send: (batch) => this.send("send", batch),
      changed: () => { this.paintState(); this.askOlder() },
      refused: (sentence, entry) => this.refuse(sentence, entry),
    })
    this.pace = new Pace()
    this.sheet = new Sheet({
      pick: (at) => { this.go(at); this.listen() }, next: () => this.nextSheet(),
    })
    this.focus = new Focus({
      answer: (k, mark) => { this.k = k; this.give(mark); this.listen() },
      factor: (k) => { this.k = k; this.arrived(); this.listen() },
    })
    this.overlay = new Overlay(() => this.listen())
    this.build(root)
    this.onKey = (event) => this.key(event)
    this.onHidden = () => {
      this.clock = performance.now()  // a hidden tab shows nothing
      this.look()
    }
    this.onFocus = () => this.look()
    window.addEventListener("keydown", this.onKey)
    window.addEventListener("focus", this.onFocus)
    document.addEventListener("visibilitychange", this.onHidden)
    this.awake = setInterval(() => this.paintState(), 60000)
  }

  /** Keys belong to the desk again, not to the button that was clicked. */
  listen() {
    this.home.focus({ preventScroll: true })
  }

  send(name, value) {
    this.component.setTriggerValue(name, value)
  }

  build(root) {
    const mode = (name, label) => h("button", { type: "button", "data-testid": `mode-${name}`,
      onclick: () => this.setMode(name) }, label)
    this.modes = { sweep: mode("sweep", "Sweep"), focus: mode("focus", "Focus") }
    const tool = (label, key, run) => h("button", { type: "button", title: `${label} (${key})`,
      "data-testid": `tool-${key}`, onclick: () => { this.listen(); run() } }, label)
    this.factors = h("div", { class: "tabs", role: "group", "aria-label": "Factors" })
    this.question = h("p", { class: "question", "data-testid": "question" })
    this.scale = h("div", { class: "levels scale-row", role: "group", "aria-label": "Levels" })
    this.where = h("span", { class: "muted", "data-testid": "where" })
    this.rest = h("span", { class: "muted", "data-testid": "pace" })
    this.saved = h("span", { class: "saved", role: "status", "data-testid": "saved" })
    this.notice = h("p", { class: "error", role: "alert", "data-testid": "label-error" })
    this.meanwhile = new Meanwhile({
      replace: (entry) => this.replace(entry),
      place: (at) => this.places.of(at),
      inWords: (k, mark) => k < 0 ? (mark === FLAG ? "flagged" : "not flagged") : inWords(this.data.factors[k], mark),
    })
    this.live = h("p", { class: "sr", role: "status", "aria-live": "polite" })
    this.home = h("div", { class: "desk", tabIndex: 0, "aria-label": "Labelling", "data-testid": "desk" },
      h("div", { class: "bar" }, h("span", { class: "modes" }, this.modes.sweep, this.modes.focus),
        this.where, h("span", { class: "grow" }), this.rest, this.saved,
        tool("Enlarge", "Z", () => this.zoom.toggle()), tool("Undo", "Backspace", () => this.undo()), tool("Skip", "S", () => this.skip()), tool("Flag", "F", () => this.flag()),
        tool("Guideline", "G", () => this.guide()), tool("Keys", "?", () => this.overlay.toggle("Keys", keysHelp))),
      this.factors, h("div", { class: "ask" }, this.question, this.scale), this.notice, this.meanwhile.element,
      this.sheet.element, this.focus.element, this.live, this.overlay.element)
    this.zoom = new Zoom(this.home, this.items)
    for (const { element } of this.sheet.tiles) this.zoom.watch(element)
    this.home.append(this.zoom.element)
    root.append(h("div", { class: "frame" }, this.home))
  }

  // state from Python

  update(component) {
    this.component = component
    const { data } = component
    if (data.rev !== this.rev) this.adopt(data)
    const late = this.queue.receive(data.answer)
    this.catchUp(data.answer)
    this.catchUp(data.news)
    if (late.length) this.meanwhile.ask(late, this.desk)
    if (data.history && data.history.ask === this.asking) {
      this.asking = null
      if (data.history.error) {
        this.owed = 0  // the next Backspace asks again
        setText(this.notice, data.history.error)
        return
      }
      this.older = data.history.older
      this.desk.older(this.places.steps(data.history.steps))
      const owed = this.owed
      this.owed = 0
      for (let i = 0; i < owed; i++) this.undo()
    }
  }

  /** Shows what other pages of the annotator have stored, as soon as an answer brings it. */
  catchUp(answer) {
    if (!answer || answer.plan !== this.data.plan || answer.by !== this.data.by) return
    if (!(answer.seen > this.seen)) return
    this.seen = answer.seen
    if (!answer.fresh) return
    this.desk = this.standing(answer.fresh)
    this.older = answer.fresh.older
    this.asking = null
    this.paint()
  }

  /** The desk of what the server says, and of what is on its way there. */
  standing(said) {
    return new Desk(this.places.standing(said), this.places.entries(this.queue.waiting), this.own)
  }

  /** Asks what other pages have stored, when this one comes into view. */
  look() {
    if (!this.desk || document.hidden || this.queue.waiting.length) return
    this.send("look", { plan: this.data.plan, by: this.data.by, seen: this.seen })
  }

  adopt(data) {
    const same = this.data && this.data.plan === data.plan && this.data.by === data.by
    this.data = data
    this.rev = data.rev
    const before = this.places
    this.places = new Places(data.order, data.n)
    this.items.open(data.url, this.places)
    this.items.examples = null
    this.seen = data.seen
    if (!same) {
      this.own.clear()
      this.latest.clear()
      this.meanwhile.clear()
    }
    const waiting = this.queue.open(data.plan, data.by)
    // The page reads who labels in this browser, so that a plan's link asks for a name once.
    document.cookie = `rivae_by=${encodeURIComponent(data.by)};path=/;max-age=31536000;samesite=lax`
    for (const { event, k } of waiting) this.mine(event, k)
    this.desk = this.standing(data)
    this.older = data.older
    this.asking = null
    this.owed = 0
    this.focus.open(data.factors)
    this.factors.replaceChildren(...data.factors.map((factor, k) => h("button",
      { type: "button", onclick: () => this.setFactor(k), "data-testid": `factor-${factor.id}` },
      h("span", {}, factor.name), h("span", { class: "count" }), h("i", { class: "fill" }))))
    if (!same) {
      const place = remembered(`${data.plan}/${data.by}`)
      this.mode = place.mode === "focus" ? "focus" : "sweep"
      this.k = Math.max(data.factors.findIndex((factor) => factor.id === place.factor), 0)
      this.last = undefined
      this.at = this.start()
    } else this.follow(before)
    this.k = Math.min(this.k, data.factors.length - 1)
    setText(this.notice, data.url ? "" : "Pictures need the app's own server: start it with `python -m rivae.app.serve`.")
    this.arrived()
    this.listen()
  }

  /** The cursor stays on its item when the plan is dealt out again, unless that is somebody else's now. */
  follow(before) {
    const here = (i) => this.places.of(before.at(i))
    if (this.at < 0) this.ended = here(this.ended) ?? this.start()
    else this.at = here(this.at) ?? this.start()
  }

  /** Where labelling goes on: the first item without a level. */
  start() {
    if (this.mode === "sweep") return Math.max(this.desk.firstOpen(this.k), 0)
    const open = this.data.factors.map((_, k) => this.desk.firstOpen(k)).filter((at) => at >= 0)
    return open.length ? Math.min(...open) : 0
  }

  // moving

  get factor() {
    return this.data.factors[this.k]
  }

  get sheetStart() {
    return Math.floor((this.at < 0 ? this.ended : this.at) / SHEET) * SHEET
  }

  setMode(mode) {
    if (mode === this.mode) return
    if (this.at < 0) this.at = this.ended
    this.mode = mode
    this.arrived()
    this.listen()
  }

  setFactor(k) {
    this.k = k
    if (this.mode === "sweep") this.at = this.start()
    this.arrived()
    this.listen()
  }

  go(at) {
    this.at = clamp(at, 0, this.places.n - 1)
    this.arrived()
  }

  /** The cursor is somewhere new: the time that an item is shown begins. */
  arrived() {
    this.clock = performance.now()
    remember(`${this.data.plan}/${this.data.by}`, { mode: this.mode, factor: this.factor.id })
    this.paint()
    const start = this.mode === "sweep" ? this.sheetStart : this.at
    const step = this.mode === "sweep" ? SHEET : 6
    this.items.ahead(start, start + 2 * step)
  }

  /** Whether the answer now is about a skipped item, when nothing else is left. */
  again() {
    const open = this.mode === "sweep" ? this.desk.open(this.k)
      : this.data.factors.reduce((sum, _, k) => sum + this.desk.open(k), 0)
    return !open && this.desk.mark(this.k, this.at) === SKIPPED
  }

  /** After a level: the next one; at the end of a sheet nothing, for what was not seen is not labelled.
   * @param again whether the answer was about a skipped item, when nothing else is left
   * @param corrected whether it replaced another one: then the next item is its neighbour, answered or not
   */
  advance(again, corrected) {
    if (this.mode === "focus") {
      const { factors } = this.data
      const open = (k) => this.desk.mark(k, this.at) === NOTHING
      if (again) return this.nextSkipped()
      const next = [...factors.keys()].find((k) => k > this.k && open(k)) ?? [...factors.keys()].find(open)
      if (next !== undefined) this.k = next
      else if (this.at + 1 < this.places.n) {
        this.at += 1
        this.k = [...factors.keys()].find((k) => this.desk.mark(k, this.at) === NOTHING) ?? 0
      }
      return
    }
    const end = Math.min(this.sheetStart + SHEET, this.places.n)
    const later = corrected ? this.desk.firstAsked(this.k, this.at + 1, end) : this.desk.firstOpen(this.k, this.at + 1, end)
    if (!again && later >= 0) this.at = later
    else {
      this.ended = this.at
      this.at = again ? this.desk.firstOpen(this.k, this.at + 1, end, SKIPPED)
        : this.desk.firstOpen(this.k, this.sheetStart, end)
    }
  }

  nextSheet() {
    const next = this.next()
    if (next) [this.k, this.at] = next
    else this.nextSkipped()
    this.arrived()
    this.listen()
  }

  /** Where the next sheet begins; see `Desk.next`. */
  next() {
    return this.desk.next(this.k, this.sheetStart + SHEET, SHEET, this.data.inTurn)
  }

  /** Goes to the next skipped item: of this factor, then of the others, then from the beginning. */
  nextSkipped() {
    const { factors } = this.data
    const from = this.at < 0 ? this.ended + 1 : this.at + 1
    const places = [[this.k, from], ...factors.map((_, i) => [(this.k + 1 + i) % factors.length, 0])]
    for (const [k, start] of places) {
      const at = this.desk.firstOpen(k, start, this.places.n, SKIPPED)
      if (at < 0) continue
      this.k = k
      this.at = at
      return
    }
  }

  move(by) {
    if (this.at < 0) this.at = by > 0 ? this.ended : this.ended - by
    this.go(this.at + by)
  }

  // acts

  act(fields, k, after, at = this.at) {
    const seconds = Math.max(0, Math.round(performance.now() - this.clock) / 1000)
    const event = {
      id: newId(), time: new Date().toISOString(), at: this.places.at(at), factor: k < 0 ? "" : this.data.factors[k].id,
      level: null, action: "label", seconds: Math.min(seconds, 600000), suggested: false,
      undoes: "", guideline: this.data.guideline, ...fields, ...this.known(k, at),
    }
    const before = this.desk.mark(k, at)
    this.mine(event, k)
    this.queue.add({ event, k, before, after })
    this.desk.take({ id: event.id, at, k, before, after })
    this.meanwhile.answered(k, event.at, this.desk)
  }

  /** What this page knows of a place: the server refuses to replace anything else. */
  known(k, at) {
    return { seen: this.seen, after: this.latest.get(`${k}/${this.places.at(at)}`) || "" }
  }

  mine(event, k) {
    this.own.add(event.id)
    this.latest.set(`${k}/${event.at}`, event.id)
  }

  /** Stores an answer that another page was faster than, now that both were shown. */
  replace({ event, k, after }) {
    const { action, level, suggested } = event
    this.act({ action, level, suggested, seconds: event.seconds }, k, after, this.places.of(event.at))
    this.paint()
    this.listen()
  }

  /** An answer as a mark: "1" to "5", "0", between two levels "a" to "d", or "n". */
  give(mark) {
    if (this.at < 0) return
    const suggested = this.hint(this.k, this.at) !== NOTHING && this.desk.mark(this.k, this.at) === NOTHING
    const again = this.again(), corrected = this.desk.mark(this.k, this.at) !== NOTHING
    this.act({ ...answerOf(mark), suggested }, this.k, mark)
    this.last = mark
    this.pace.tick()
    setText(this.live, `Item ${this.at + 1}: ${inWords(this.factor, mark)}`)
    this.advance(again, corrected)
    this.arrived()
  }

  accept() {
    if (this.at < 0) return this.nextSheet()
    const guess = this.desk.mark(this.k, this.at) === NOTHING ? this.hint(this.k, this.at) : NOTHING
    if (guess !== NOTHING) this.give(guess)
  }

  /** No level now: skipped items come back when nothing else is left. */
  skip() {
    if (this.at < 0) return
    const again = this.again(), corrected = this.desk.mark(this.k, this.at) !== NOTHING
    if (!corrected) {
      this.act({ action: "skip" }, this.k, SKIPPED)
      setText(this.live, `Item ${this.at + 1}: skipped`)
    }
    this.advance(again, corrected)
    this.arrived()
  }

  flag() {
    if (this.at < 0) return
    const on = !this.desk.flags.has(this.at)
    this.act({ action: on ? "flag" : "unflag" }, -1, on ? FLAG : NOTHING)
    setText(this.live, `Item ${this.at + 1}: ${on ? "flagged" : "flag removed"}`)
    this.paint()
  }

  undo() {
    const step = this.desk.back()
    if (!step) {
      this.owed += Number(this.older)
      if (this.older) this.askOlder()
      else setText(this.live, "Nothing to undo.")
      return
    }
    const factor = step.k < 0 ? "" : this.data.factors[step.k].id
    const event = {
      id: newId(), time: new Date().toISOString(), at: this.places.at(step.at), factor, level: null, action: "undo",
      seconds: 0, suggested: false, undoes: step.id, guideline: this.data.guideline,
      ...this.known(step.k, step.at),
    }
    this.mine(event, step.k)
    this.queue.add({ event, k: step.k, before: step.after, after: step.before })
    if (step.k >= 0) this.k = step.k
    this.at = step.at
    setText(this.live, `Undone: item ${step.at + 1}`)
    this.arrived()
  }

  /** Asks for older steps, once the server knows everything that was taken back here. */
  askOlder() {
    if (!this.owed || this.asking !== null || this.queue.waiting.length) return
    this.asking = newId()
    this.send("older", { plan: this.data.plan, by: this.data.by, ask: this.asking })
  }

  /** An event that can never be stored: it is taken off the desk, and said. */
  refuse(sentence, { event }) {
    if (event.action !== "undo") this.desk.forget(event.id)
    setText(this.notice, `One label was not stored: ${sentence}`)
    this.paint()
  }

  async guide() {
    if (this.overlay.open === "Guideline") return this.overlay.close()
    const examples = await this.items.levelExamples()
    if (!this.closed) this.overlay.toggle("Guideline", () => guidelineHelp(this.data.factors, this.k, examples))
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.desk) return
    const [target] = event.composedPath()
    const ours = event.composedPath().includes(this.home)
    const typing = target.matches && target.matches("input, textarea, select, [contenteditable]")
    const button = target.matches && target.matches("button, a, [role]:not([role=dialog])")
    if (typing || (!ours && (button || document.querySelector("[role=dialog]")))) return
    if (ours && button && (event.key === " " || event.key === "Enter")) {
      if (event.repeat) event.preventDefault()  // it would click again and again
      return
    }
    // What Shift and a digit write depends on the keyboard.
    const between = event.shiftKey && /^Digit[1-4]$/.exec(event.code)
    const run = between && !this.overlay.open ? () => this.give(betweenLevels(Number(event.code.at(-1)))) : this.keyRun(event.key)
    if (!run) return
    event.preventDefault()
    event.stopPropagation()
    if (!event.repeat || MAY_REPEAT.has(event.key)) run()
  }

  keyRun(key) {
    if (key === "?") return () => this.overlay.toggle("Keys", keysHelp)
    if (key === "g" || key === "G") return () => this.guide()
    if (this.overlay.open) return key === "Escape" ? () => this.overlay.close() : null
    if (key === "Escape") return this.zoom.pinned ? () => this.zoom.toggle() : null
    if (/^[0-5]$/.test(key)) return () => this.give(key)
    if (key === "n" || key === "N") return () => this.give("n")
    const sweep = this.mode === "sweep"
    if (sweep && (key === "z" || key === "Z")) return () => this.zoom.toggle()
    const factor = (by) => () => { this.k = clamp(this.k + by, 0, this.data.factors.length - 1); this.arrived() }
    return {
      Backspace: () => this.undo(), " ": () => this.last !== undefined && this.give(this.last),
      s: () => this.skip(), S: () => this.skip(), f: () => this.flag(), F: () => this.flag(), Enter: () => this.accept(),
      ArrowLeft: () => this.move(-1), ArrowRight: () => this.at < 0 ? this.nextSheet() : this.move(1),
      ArrowUp: sweep ? () => this.move(-this.sheet.columns()) : factor(-1),
      ArrowDown: sweep ? () => this.move(this.sheet.columns()) : factor(1),
      PageUp: () => this.move(-SHEET), PageDown: () => this.move(SHEET),
    }[key]
  }

  // painting

  hint(k, at) {
    const { tags } = this.data
    return tags ? tags[k][this.places.at(at)] : NOTHING
  }

  paint() {
    if (!this.desk) return
    const { desk, k, at, items, factor } = this
    const { n } = this.places
    const sweep = this.mode === "sweep"
    for (const [name, button] of Object.entries(this.modes)) {
      button.setAttribute("aria-pressed", String(name === this.mode))
    }
    this.sheet.element.hidden = !sweep
    this.focus.element.hidden = sweep
    this.question.parentElement.hidden = !sweep
    ;[...this.factors.children].forEach((tab, i) => {
      tab.setAttribute("aria-pressed", String(i === k))
      setText(tab.children[1], `${n - desk.left[i]}/${n}`)
      tab.style.setProperty("--share", 1 - desk.left[i] / n)
    })
    if (sweep) {
      setText(this.question, factor.definition)
      this.paintScale()
      const start = this.sheetStart
      this.sheet.show({ start, n, at, k, desk, factor, items, hint: (i) => this.hint(k, i) })
      setText(this.where, `${start + 1} to ${Math.min(start + SHEET, n)} of ${n}`)
      this.sheet.finish(...this.ending())
      this.zoom.follow(at, at < 0 ? null : this.sheet.tiles[at - start].element)
    } else {
      this.focus.show({ at, k, desk, items, hint: (i, here) => this.hint(i, here) })
      setText(this.where, `Item ${at + 1} of ${n}`)
      this.zoom.follow(at, null)
    }
    this.paintState()
  }

  paintScale() {
    if (this.scale.dataset.factor !== this.factor.id + this.data.guideline) {
      this.scale.dataset.factor = this.factor.id + this.data.guideline
      const button = (mark, name, key = mark) => h("button", { type: "button", tabIndex: -1, "data-level": mark,
        onclick: (event) => { this.give(pressedMark(mark, event)); this.listen() } },
      h("b", {}, key), name)
      this.scale.replaceChildren(...this.factor.levels.map((name, i) => button(String(i + 1), name)),
        button("0", "cannot tell"), button("n", "does not apply", "N"))
    }
    const mark = this.at < 0 ? NOTHING : this.desk.mark(this.k, this.at)
    for (const button of this.scale.children) {
      button.setAttribute("aria-pressed", String(isAnswer(mark, button.dataset.level)))
    }
  }

  ending() {
    if (this.at >= 0) return ["", ""]
    const next = this.next()
    const skipped = this.desk.skipped.reduce((a, b) => a + b, 0)
    if (!next && skipped) return [`All but ${skipped} skipped answers are given.`, "Next skipped item (Enter)"]
    if (!next) return ["Everything in this plan is labelled. Thank you.", "Done"]
    const isSame = next[0] === this.k
    return [this.desk.open(this.k) ? "This sheet is labelled." : `${this.factor.name} is complete.`,
      isSame ? "Next sheet (Enter)" : `Continue with ${this.data.factors[next[0]].name} (Enter)`]
  }

  paintState() {
    const [sentence, bad] = this.queue.said()
    setText(this.saved, sentence)
    this.saved.classList.toggle("bad", bad)
    this.home.dataset.waiting = this.queue.waiting.length
    if (!this.desk) return
    const count = (of) => this.mode === "sweep" ? of[this.k] : of.reduce((a, b) => a + b, 0)
    const tired = this.pace.tired() ? ". 45 minutes without a break: take one" : ""
    setText(this.rest, this.pace.said(count(this.desk.left), count(this.desk.skipped)) + tired)
  }

  close() {
    this.closed = true
    this.zoom.hide()
    this.queue.close()
    clearInterval(this.awake)
    window.removeEventListener("keydown", this.onKey)
    window.removeEventListener("focus", this.onFocus)
    document.removeEventListener("visibilitychange", this.onHidden)
  }
}

const PLACE = "rivae-label-place/"

function remembered(name) {
  try {
    return JSON.parse(localStorage.getItem(PLACE + name)) || {}
  } catch {
    return {}
  }
}

function remember(name, place) {
  try {
    localStorage.setItem(PLACE + name, JSON.stringify(place))
  } catch {
    return  // the next visit begins with the first factor
  }
}

export default mounted(LabelPanel)
