/* The presenter's view of a tour: one step at a time, large, over the whole page.
 *
 * It is a modal dialog, which lies above everything that Streamlit draws. Words are there at once;
 * pictures of the step and of the next one are asked for, so that stepping on does not wait.
 */

import { ICONS, clamp, debounce, h, icon, setText } from "./dom.js"
import { drawCloud, makeCloud } from "./cloud.js"
import { TourSetting } from "./tour_setting.js"
import { Wire } from "./wire.js"

Object.assign(ICONS, {
  back: "M12.5 4 6.5 10l6 6",
  on: "M7.5 4l6 6-6 6",
  full: "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4",
  leave: "M5 5l10 10M15 5 5 15",
})

const TELL_MS = 500
const FADE_MS = 220
const PATIENCE_MS = 90000  // a run that nobody has looked at yet is opened first
const tours = new WeakMap()

class Tour {
  constructor(root) {
    this.found = new Map()
    this.words = new Map()
    this.fetched = new Map()
    this.sent = []
    this.at = null
    this.told = null
    this.wire = new Wire({
      question: () => ({ parts: this.wanted(this.found).slice(0, 1).map((n) => this.part(n)), card: true }),
      onAnswer: (answer) => this.take(answer, this.found, () => this.showPictures()),
      onTrouble: (sentence) => setText(this.trouble, sentence),
      askServer: (body) => this.component.setTriggerValue("ask", body),
      patience: PATIENCE_MS,
    })
    // The next step must not hold up the one that is shown: its run may have to be opened first.
    const quiet = { onTrouble: () => {}, askServer: () => {}, patience: PATIENCE_MS }
    this.aheadWire = new Wire({
      question: () => ({ parts: [this.part(this.at + 1)], card: true }),
      onAnswer: (answer) => this.take(answer, this.found, () => this.showPictures()),
      ...quiet,
    })
    this.wordWire = new Wire({
      question: () => ({ parts: this.wanted(this.words).slice(0, 1).map((n) => this.part(n)), cloud: true }),
      onAnswer: (answer) => this.take(answer, this.words, () => this.showWords()),
      onTrouble: (sentence) => setText(this.trouble, sentence),
      askServer: (body) => this.component.setTriggerValue("ask_words", body),
      patience: PATIENCE_MS,
    })
    this.liveWire = new Wire({
      question: () => ({ parts: [{ ...this.part(this.at), levels: this.moved.levels }] }),
      onAnswer: (answer) => this.takeLive(answer),
      ...quiet,
      onTrouble: (sentence) => setText(this.trouble, sentence),
    })
    this.liveWordWire = new Wire({
      question: () => {
        this.worded = this.moved.levels
        return { parts: [{ ...this.part(this.at), levels: this.worded }], cloud: true }
      },
      onAnswer: (answer) => this.takeLiveWords(answer),
      ...quiet,
    })
    this.wires = [this.wire, this.aheadWire, this.wordWire, this.liveWire, this.liveWordWire]
    this.askWordsSoon = debounce(() => this.moved && this.liveWordWire.ask(), TELL_MS)
    this.tellSoon = debounce(() => this.tell(), TELL_MS)
    this.build(root)
  }

  build(root) {
    const button = (name, label, run, testid) => {
      const node = h("button", { type: "button", title: label, "aria-label": label, "data-testid": testid },
        icon(name))
      node.onclick = () => {
        run()
        this.stage.focus()  // or the space bar would press the button once more
      }
      return node
    }
    this.title = h("span", { class: "tour-title" })
    this.count = h("span", { class: "count", "data-testid": "tour-count" })
    this.bar = h("i", { class: "done" })
    this.backButton = button("back", "Back (←)", () => this.go(this.at - 1), "tour-back")
    this.nextButton = button("on", "On (→ or space)", () => this.go(this.at + 1), "tour-next")
    this.heading = h("h1", { "data-testid": "tour-heading" })
    this.note = h("p", { class: "note" })
    this.setting = new TourSetting((levels) => this.steer(levels))
    this.queryPicture = h("img", { alt: "" })
    this.queryTitle = h("span", {})
    this.query = h("div", { class: "query" }, this.queryPicture,
      h("div", {}, h("span", { class: "small" }, "Query"), this.queryTitle))
    this.pictures = h("div", { class: "pictures", "data-testid": "tour-pictures" })
    this.slots = Array.from({ length: 5 }, () => {
      const img = h("img", { alt: "" })
      const name = h("figcaption", {})
      const element = h("figure", {}, h("span", { class: "pic" }, img), name)
      this.pictures.append(element)
      return { element, img, name }
    })
    this.cloud = makeCloud()
    this.error = h("p", { class: "sentence", role: "alert", "data-testid": "tour-error" })
    this.trouble = h("p", { class: "trouble", role: "status" })
    this.live = h("p", { class: "sr", role: "status", "aria-live": "polite" })
    this.stage = h("div", { class: "stage", tabIndex: -1, "data-testid": "tour-stage" },
      h("header", {}, this.title, this.count, this.backButton, this.nextButton,
        button("full", "Full screen (F)", () => this.toggleFull(), "tour-full"),
        button("leave", "Leave (Esc)", () => this.leave(), "tour-leave")),
      h("div", { class: "progress", "aria-hidden": "true" }, this.bar),
      h("div", { class: "said" }, this.heading, this.note),
      this.error, h("p", { class: "opening" }, "Opening the run …"), this.pictures,
      h("div", { class: "foot" }, h("div", { class: "where" }, this.setting.element, this.query), this.cloud),
      this.trouble, this.live)
    this.dialog = h("dialog", { class: "tour", "aria-label": "Tour", "data-testid": "tour" }, this.stage)
    this.dialog.onkeydown = (event) => this.key(event)
    this.dialog.oncancel = (event) => {
      event.preventDefault()
      this.leave()
    }
    this.dialog.onclose = () => this.leave()
    this.frame = h("div", { class: "frame" }, this.dialog)
    root.append(this.frame)
  }

  update(component) {
    this.component = component
    const { data } = component
    const other = !this.data || this.data.id !== data.id
    const key = JSON.stringify(data.steps)
    const changed = key !== this.stepsKey
    if (other || changed) {
      this.stepsKey = key
      this.found.clear()
      this.words.clear()
      for (const wire of this.wires) wire.reset()
    }
    this.data = data
    for (const wire of this.wires) wire.url = data.url
    for (const [name, color] of Object.entries(data.colors)) this.frame.style.setProperty(`--word-${name}`, color)
    setText(this.title, data.title)
    if (!this.dialog.open && !this.left) {
      this.dialog.showModal()
      this.stage.focus()
    }
    if (other || this.at === null) this.show(data.step - 1)
    else if (changed) this.show(this.at)
    else this.follow(data.step)
    if (data.answer) this.wire.receive(data.answer)
    if (data.words) this.wordWire.receive(data.words)
  }

  /** The address has changed: by what was told from here, or by the browser's back button. */
  follow(step) {
    const known = this.sent.indexOf(step)
    if (known >= 0) this.sent.splice(0, known + 1)
    else if (step !== this.told && !this.sent.length) this.show(step - 1)
    this.told = step
  }

  tell() {
    if (this.left || this.at + 1 === this.told) return
    this.sent.push(this.at + 1)
    this.component.setTriggerValue("step", this.at + 1)
  }

  // steps

  go(to) {
    const next = clamp(to, 0, this.data.steps.length - 1)
    if (next === this.at) return
    this.show(next)
    this.tellSoon()
  }

  show(at) {
    const { steps } = this.data
    this.at = clamp(at, 0, steps.length - 1)
    this.moved = null
    this.stage.classList.remove("moved")
    if (this.told === null) this.told = this.data.step
    const step = steps[this.at]
    setText(this.heading, step.heading)
    setText(this.note, step.note)
    setText(this.count, `${this.at + 1} / ${steps.length}`)
    this.bar.style.width = `${(100 * (this.at + 1)) / steps.length}%`
    this.backButton.disabled = this.at === 0
    this.nextButton.disabled = this.at === steps.length - 1
    setText(this.live, `Step ${this.at + 1} of ${steps.length}: ${step.heading}. ${step.note}`)
    this.showPictures()
    this.showWords()
    for (const wire of this.wires) wire.reset()
    this.askMore()
  }

  /** The step that is shown and the next one, where they are not `known` yet. */
  wanted(known) {
    return [this.at, this.at + 1].filter((n) => n < this.data.steps.length && !known.has(n))
  }

  part(n) {
    const { run, query, asks, axes, levels, n_sigma } = this.data.steps[n]
    return { key: String(n), run, query, asks, axes, levels, n_sigma }
  }

  take(answer, known, show) {
    for (const part of answer.parts) {
      known.set(Number(part.key), part)
      if (part.items) this.fetchPictures(part, this.data.steps[Number(part.key)].run)
    }
    show()
    this.askMore()
  }

  /** Asks for what is still missing of this step, and of the next one. */
  askMore() {
    const isMissing = (known, n) => n < this.data.steps.length && !known.has(n)
    const idle = (wire) => wire.inFlight === null
    if (idle(this.wire) && isMissing(this.found, this.at)) this.wire.ask()
    if (idle(this.aheadWire) && this.data.url && isMissing(this.found, this.at + 1)) this.aheadWire.ask()
    if (idle(this.wordWire) && this.wanted(this.words).length) this.wordWire.ask()
  }

  address(run, side, id) {
    const { pictures } = this.data
    return pictures ? `${pictures}/${encodeURIComponent(run)}/${side}/${id}` : ""
  }

  /** Loads the pictures at full size before they are shown. */
  fetchPictures({ items, side }, run) {
    for (const [id] of items) {
      const address = this.address(run, side, id)
      if (!address || this.fetched.has(address)) continue
      const img = new Image()
      img.src = address
      this.fetched.set(address, img)
    }
  }

  /** What is shown: the step as it is, or as a hand has moved it. */
  drawn() {
    return (this.moved && this.moved.part) || this.found.get(this.at)
  }

  showPictures() {
    const step = this.data.steps[this.at]
    const part = this.drawn()
    this.stage.dataset.state = !part ? "waiting" : part.error ? "failed" : "shown"
    setText(this.error, (part && part.error) || "")
    this.slots.forEach(({ element, img, name }, rank) => {
      const item = part && part.items ? part.items[rank] : null
      element.classList.toggle("gone", !item && Boolean(part))
      if (!item) {
        img.removeAttribute("src")
        img.alt = ""
        setText(name, "")
        return
      }
      const [id, title, small, tiny] = item
      const full = this.fetched.get(this.address(step.run, part.side, id))
      // The small picture is there already; the full one takes its place once it is loaded.
      const ready = full && full.complete && full.naturalWidth
      this.change(img, ready ? full.src : small, id)
      img.classList.toggle("tiny", Boolean(tiny))
      img.alt = title
      setText(name, title)
      if (full && !ready) full.onload = () => this.drawn() === part && this.showPictures()
    })
    const axes = (part && part.axes) || step.axes.map((j) => ({ name: typeof j === "string" ? j : `axis ${j + 1}` }))
    if (!this.moved) this.setting.show(step.levels, axes, this.data.url && part ? part.at : null)
    const card = part && part.query
    this.query.classList.toggle("gone", !card)
    if (card) {
      this.queryPicture.src = card[1]
      this.queryPicture.classList.toggle("tiny", Boolean(card[2]))
      setText(this.queryTitle, card[0])
    }
  }

  /** Another picture comes in softly; a sharper one of the same item takes its place at once. */
  change(img, src, id) {
    if (img.src === src) return
    const isOther = img.dataset.id !== String(id)
    img.src = src
    img.dataset.id = id
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches
    if (isOther && !calm) img.animate([{ opacity: 0.25 }, { opacity: 1 }], FADE_MS)
  }

  /** A slider of the step has moved: it is asked for as it stands, and forgotten with the step. */
  steer(levels) {
    this.moved = { levels, part: this.drawn() }
    this.stage.classList.add("moved")  // the words that are shown are of another place
    this.liveWire.ask()
    this.askWordsSoon()
  }

  takeLive(answer) {
    const [part] = answer.parts
    if (!this.moved || Number(part.key) !== this.at) return
    this.moved.part = { ...this.found.get(this.at), ...part }
    if (part.items) this.fetchPictures(part, this.data.steps[this.at].run)
    this.showPictures()
  }

  /** The words of where the sliders have come to rest. */
  takeLiveWords(answer) {
    const [part] = answer.parts
    if (this.worded !== this.moved?.levels) return  // moved on since
    this.moved.words = part
    this.stage.classList.remove("moved")
    this.showWords()
  }

  showWords() {
    const part = (this.moved && this.moved.words) || this.words.get(this.at)
    const cloud = part && part.cloud
    this.stage.classList.toggle("wordless", Boolean(part) && !cloud)
    this.cloud.style.visibility = cloud ? "" : "hidden"
    if (cloud) drawCloud(this.cloud, cloud)
  }

  // keys

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const pressed = event.key
    if ((pressed === " " || pressed === "Enter") && event.target.tagName === "BUTTON") return
    if (event.target.tagName === "INPUT" && /^Arrow|^Page|^Home|^End/.test(pressed)) return
    const last = this.data.steps.length - 1
    const to = {
      ArrowRight: this.at + 1, ArrowDown: this.at + 1, PageDown: this.at + 1, Enter: this.at + 1,
      ArrowLeft: this.at - 1, ArrowUp: this.at - 1, PageUp: this.at - 1,
      " ": this.at + (event.shiftKey ? -1 : 1), Home: 0, End: last,
    }[pressed]
    if (to !== undefined) this.go(to)
    else if (pressed === "f" || pressed === "F") this.toggleFull()
    else return
    event.preventDefault()
  }

  isFull() {
    return Boolean(this.stage.getRootNode().fullscreenElement || document.fullscreenElement)
  }

  toggleFull() {
    const done = this.isFull() ? document.exitFullscreen() : this.stage.requestFullscreen()
    done.catch(() => setText(this.trouble, "This browser does not allow full screen here."))
  }

  leave() {
    if (this.left) return
    this.left = true
    if (this.isFull()) document.exitFullscreen().catch(() => {})
    if (this.dialog.open) this.dialog.close()
    this.tellSoon.cancel()
    this.component.setTriggerValue("leave", true)
  }

  close() {
    this.left = true
    for (const wire of this.wires) wire.close()
    this.tellSoon.cancel()
    if (this.dialog.open) this.dialog.close()
  }
}

export default (component) => {
  const { parentElement } = component
  let tour = tours.get(parentElement)
  if (!tour) {
    tour = new Tour(parentElement)
    tours.set(parentElement, tour)
  }
  tour.update(component)
  return () => {
    tour.close()
    tours.delete(parentElement)
  }
}
