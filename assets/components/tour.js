/* The presenter's view of a tour: one step at a time, large, over the whole page.
 *
 * It is a modal dialog, which lies above everything that Streamlit draws. Words are there at once, and from
 * one step to the next z glides where it can.
 */

import { ICONS, clamp, debounce, h, icon, setText } from "./dom.js"
import { drawCloud, makeCloud } from "./cloud.js"
import { TourAnswers } from "./tour_answers.js"
import { Glide } from "./tour_glide.js"
import { TourLive } from "./tour_live.js"
import { TourPictures, isCalm } from "./tour_pictures.js"
import { TourSetting } from "./tour_setting.js"

Object.assign(ICONS, {
  back: "M12.5 4 6.5 10l6 6",
  on: "M7.5 4l6 6-6 6",
  full: "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4",
  leave: "M5 5l10 10M15 5 5 15",
})

const TELL_MS = 500
const tours = new WeakMap()

class Tour {
  constructor(root) {
    this.sent = []
    this.at = null
    this.told = null
    const trouble = (sentence) => setText(this.trouble, sentence)
    this.answers = new TourAnswers({
      pictures: (n) => this.came(n),
      words: () => this.glide.isRunning || this.showWords(),
      trouble,
      ask: (body) => this.component.setTriggerValue("ask", body),
      askWords: (body) => this.component.setTriggerValue("ask_words", body),
    }, () => !isCalm())
    this.live = new TourLive({
      part: () => this.answers.part(this.at),
      pictures: (part) => this.takeLive(part),
      words: (part) => this.takeLiveWords(part),
      trouble,
    })
    this.glide = new Glide((now) => this.pass(now), () => this.arrive())
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
    this.pictures = new TourPictures()
    this.cloud = makeCloud()
    this.error = h("p", { class: "sentence", role: "alert", "data-testid": "tour-error" })
    this.trouble = h("p", { class: "trouble", role: "status" })
    this.spoken = h("p", { class: "sr", role: "status", "aria-live": "polite" })
    this.stage = h("div", { class: "stage", tabIndex: -1, "data-testid": "tour-stage" },
      h("header", {}, this.title, this.count, this.backButton, this.nextButton,
        button("full", "Full screen (F)", () => this.toggleFull(), "tour-full"),
        button("leave", "Leave (Esc)", () => this.leave(), "tour-leave")),
      h("div", { class: "progress", "aria-hidden": "true" }, this.bar),
      h("div", { class: "said" }, this.heading, this.note),
      this.error, h("p", { class: "opening" }, "Opening the run …"), this.pictures.element,
      h("div", { class: "foot" }, h("div", { class: "where" }, this.setting.element, this.pictures.query), this.cloud),
      this.trouble, this.spoken)
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
    this.stepsKey = key
    this.data = data
    this.answers.adopt(data, other || changed)
    this.live.setUrl(data.url)
    this.pictures.url = data.pictures
    for (const [name, color] of Object.entries(data.colors)) this.frame.style.setProperty(`--word-${name}`, color)
    setText(this.title, data.title)
    if (!this.dialog.open && !this.left) {
      this.dialog.showModal()
      this.stage.focus()
    }
    if (other || this.at === null) this.show(data.step - 1)
    else if (changed) this.show(this.at)
    else this.follow(data.step)
    if (data.answer) this.answers.wire.receive(data.answer)
    if (data.words) this.answers.wordWire.receive(data.words)
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
    this.show(next, this.at)
    this.tellSoon()
  }

  /** Shows step `at`, coming from step `from` or from nowhere. */
  show(at, from = null) {
    const { steps } = this.data
    this.at = clamp(at, 0, steps.length - 1)
    this.moved = null
    this.live.forget()
    this.glide.stop()
    this.stage.classList.remove("moved")
    if (this.told === null) this.told = this.data.step
    const step = steps[this.at]
    setText(this.heading, step.heading)
    setText(this.note, step.note)
    setText(this.count, `${this.at + 1} of ${steps.length}`)
    this.bar.style.width = `${(100 * (this.at + 1)) / steps.length}%`
    this.backButton.disabled = this.at === 0
    this.nextButton.disabled = this.at === steps.length - 1
    setText(this.spoken, `Step ${this.at + 1} of ${steps.length}: ${step.heading}. ${step.note}`)
    this.way = from === null || isCalm() ? null : this.answers.way(from, this.at)
    if (this.way) this.depart()
    else this.arrive()
    this.answers.go(this.at)
  }

  /** What has come of step `n` is shown, where that is the one. */
  came(n) {
    const part = this.answers.found.get(n)
    if (part.items) this.pictures.fetch(part, this.data.steps[n].run)
    if (n === this.at && !this.glide.isRunning) this.showPictures()
  }

  // from step to step

  depart() {
    this.stage.classList.add("moved")  // the words that are shown are of another place
    this.stage.dataset.gliding = ""
    this.showSetting()
    this.glide.start(this.way.ids.length, this.way.ends)
  }

  pass({ place, levels }) {
    const { ids, items, side } = this.way
    this.setting.place(levels)
    if (place < 1 || place > ids.length) return
    const shown = ids[place - 1].map((id) => [id, ...items[id]])
    this.pictures.show({ items: shown, side }, this.data.steps[this.at].run, true)
  }

  arrive() {
    delete this.stage.dataset.gliding
    this.stage.classList.remove("moved")
    if (this.way) this.setting.place(this.way.ends[1])
    this.showPictures()
    this.showWords()
  }

  // what is shown

  /** The step as it is, or as a hand has moved it. */
  drawn() {
    return (this.moved && this.moved.part) || this.answers.found.get(this.at)
  }

  showPictures() {
    const { run } = this.data.steps[this.at]
    const part = this.drawn()
    this.stage.dataset.state = !part ? "waiting" : part.error ? "failed" : "shown"
    setText(this.error, (part && part.error) || "")
    this.pictures.show(part, run)
    this.pictures.showQuery(part && part.query, run)
    if (!this.moved) this.showSetting()
  }

  showSetting() {
    const step = this.data.steps[this.at]
    const part = this.answers.found.get(this.at)
    const axes = (part && part.axes) || step.axes.map((j) => ({ name: typeof j === "string" ? j : `axis ${j + 1}` }))
    this.setting.show(step.levels, axes, this.data.url && part ? part.at : null)
  }

  showWords() {
    const part = (this.moved && this.moved.words) || this.answers.worded.get(this.at)
    const cloud = part && part.cloud
    this.stage.classList.toggle("wordless", Boolean(part) && !cloud)
    this.cloud.style.visibility = cloud ? "" : "hidden"
    if (cloud) drawCloud(this.cloud, cloud)
  }

  /** A slider of the step has moved: it is asked for as it stands, and forgotten with the step. */
  steer(levels) {
    if (this.glide.isRunning) {
      this.glide.stop()
      this.arrive()
    }
    this.moved = { part: this.drawn() }
    this.stage.classList.add("moved")
    this.live.steer(levels)
  }

  takeLive(part) {
    this.moved.part = { ...this.answers.found.get(this.at), ...part }
    this.showPictures()
  }

  /** The words of where the sliders have come to rest. */
  takeLiveWords(part) {
    this.moved.words = part
    this.stage.classList.remove("moved")
    this.showWords()
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
    this.glide.stop()
    this.live.close()
    this.answers.close()
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
