/* One sentence above the pictures: what the axis that was touched last changes, and how reliable it is.
 *
 * It is measured once for each axis, after the hand has let go: a drag never waits for it.
 */

import { h, setText, sureMark } from "./dom.js"
import { reach } from "./reach.js"

const HINT = "Drag an axis: the pictures are the items that fit best."

export class Said {
  constructor() {
    this.known = new Map()  // sentence by axis
    this.text = h("span", { class: "said-text" })
    this.verdict = h("span", { class: "verdict" })
    this.element = h("p", { class: "said", "aria-live": "polite", "data-testid": "said" }, this.text, this.verdict)
    this.axis = null
    this.show(HINT)
  }

  /** @param data {key, run, rows, asks, changes: address}; axes are others with another key */
  adopt({ key, run, rows, asks, changes }) {
    this.url = changes
    this.asked = { run, rows, asks }
    if (key === this.key) return
    this.key = key
    this.known.clear()
    this.axis = null
    this.show(HINT)
  }

  show(sentence) {
    setText(this.text, sentence)
    this.text.title = sentence
    const { held } = this.axis || {}
    this.verdict.replaceChildren(...(held ? [sureMark(held, "said-sure"), held.text] : []))
  }

  /** An axis is in hand. */
  touch(axis) {
    if (axis.short === this.axis?.short || !this.url) return
    this.axis = axis
    const name = axis.right || axis.given || axis.short
    this.show(this.known.get(axis.short) ?? `More ${name}: measuring what it changes …`)
  }

  /** The hand has let go: what is not known of the axis is asked for. */
  async ask() {
    const { axis, key } = this
    if (!axis || this.known.has(axis.short)) return
    this.known.set(axis.short, this.text.textContent)  // asked for once
    const sentence = await this.answer(axis.short)
    if (key !== this.key) return
    if (sentence) this.known.set(axis.short, sentence)
    else this.known.delete(axis.short)
    if (axis.short === this.axis?.short) this.show(sentence || "What this axis changes could not be measured: move it again.")
  }

  async answer(axis) {
    try {
      const reply = await reach(this.url, {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...this.asked, axis, seq: 0 }),
      })
      const { sentence, error } = await reply.json()
      return sentence || error
    } catch {
      return ""
    }
  }
}
