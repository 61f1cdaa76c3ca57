/* A slider over a list of values, which reports while it is dragged: the newest value, as soon as
 * the one before has been answered. */

import { h, setText } from "./dom.js"

const PATIENCE_MS = 1500
const sliders = new WeakMap()
let releases = 0

class Steps {
  constructor(root) {
    this.sent = null
    this.label = h("label", { class: "label", for: "steps" })
    this.said = h("output", { class: "said" })
    this.input = h("input", { type: "range", id: "steps", min: 0, step: 1, "data-testid": "steps" })
    this.input.onpointerdown = () => (this.held = true)
    this.input.onpointerup = this.input.onpointercancel = () => (this.held = false)
    this.input.oninput = () => {
      this.write()
      this.tell()
    }
    // A state, not a trigger: Streamlit drops a trigger that has not run when another one comes,
    // and the last "move" may still be on its way. The count makes every release a change.
    this.input.onchange = () => {
      this.component.setStateValue("commit", { at: Number(this.input.value), count: ++releases })
    }
    root.append(h("div", { class: "frame" }, h("div", { class: "steps" },
      h("div", { class: "line" }, this.label, this.said), this.input)))
  }

  update(component) {
    this.component = component
    const { steps, at, label, help } = component.data
    this.steps = steps
    setText(this.label, label)
    this.label.title = help
    this.input.max = steps.length - 1
    if (at === this.sent) {
      this.answered()
    } else if (!this.held && this.sent === null) {
      this.input.value = at
    }
    this.write()
  }

  write() {
    const text = this.steps[Number(this.input.value)]
    setText(this.said, text)
    this.input.setAttribute("aria-valuetext", text)
  }

  tell() {
    if (this.sent !== null) return
    this.sent = Number(this.input.value)
    this.timer = setTimeout(() => this.answered(), PATIENCE_MS)
    this.component.setTriggerValue("move", this.sent)
  }

  answered() {
    clearTimeout(this.timer)
    const newest = Number(this.input.value) !== this.sent
    this.sent = null
    if (newest) this.tell()
  }
}

export default function (component) {
  const { parentElement } = component
  if (!sliders.has(parentElement)) sliders.set(parentElement, new Steps(parentElement))
  sliders.get(parentElement).update(component)
  return () => sliders.delete(parentElement)
}
