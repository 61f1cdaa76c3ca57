/* Before and after: as long as a button or the key B is held, the results before any axis was moved are shown. */

import { h } from "./dom.js"

export class Before {
  /** @param panel whose `element` the key belongs to, `hold(isHeld)` is told */
  constructor(panel, hold) {
    this.panel = panel
    this.tell = hold
    this.held = false
    this.button = h("button", { type: "button", class: "before", "aria-pressed": "false", disabled: true,
      "data-testid": "before", title: "Hold to see the results before you moved the axes (key B)" }, "Before")
    this.button.onpointerdown = (event) => {
      this.button.setPointerCapture(event.pointerId)
      this.hold(true)
    }
    this.button.onpointerup = this.button.onpointercancel = this.button.onblur = () => this.hold(false)
    this.button.oncontextmenu = (event) => event.preventDefault()  // a long touch
    this.button.onkeydown = (event) => this.press(event, [" ", "Enter"], true)
    this.button.onkeyup = (event) => this.press(event, [" ", "Enter"], false)
    this.down = (event) => this.isMine(event) && this.press(event, ["b", "B"], true)
    this.up = (event) => this.press(event, ["b", "B"], false)
    this.leave = () => this.hold(false)
    addEventListener("keydown", this.down, true)
    addEventListener("keyup", this.up, true)
    addEventListener("blur", this.leave)
  }

  press(event, keys, isHeld) {
    if (!keys.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return
    if (isHeld || this.held) event.preventDefault()
    this.hold(isHeld)
  }

  /** Whether a key is pressed here or nowhere else, and writes no text. */
  isMine(event) {
    const [target] = event.composedPath()
    const writes = target.isContentEditable || target.matches?.("textarea, select, input:not([type=range], [type=checkbox])")
    return !writes && (target === document.body || event.composedPath().includes(this.panel.element))
  }

  hold(isHeld) {
    if (isHeld === this.held || (isHeld && this.button.disabled)) return
    this.held = isHeld
    this.button.setAttribute("aria-pressed", String(isHeld))
    this.tell(isHeld)
  }

  /** Whether there is anything to see. */
  offer(isMoved) {
    if (!this.held) this.button.disabled = !isMoved
  }

  close() {
    removeEventListener("keydown", this.down, true)
    removeEventListener("keyup", this.up, true)
    removeEventListener("blur", this.leave)
  }
}
