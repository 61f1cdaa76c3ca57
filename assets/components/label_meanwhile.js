/* What another page of the same annotator stored before this one could: shown, and asked about. */

import { h, setText } from "./dom.js"

const NAMED = 3  // in a sentence

export class Meanwhile {
  /** @param replace called with an entry that is to replace what is stored
   *  @param inWords the answer of an entry's factor in words: (k, mark)
   *  @param place where a position of the plan is on the desk
   */
  constructor({ replace, inWords, place }) {
    Object.assign(this, { replace, inWords, place, entries: [] })
    this.words = h("span", { "data-testid": "meanwhile-words" })
    this.mine = h("button", { type: "button", "data-testid": "meanwhile-replace",
      onclick: () => this.decide(true) }, "Replace with mine")
    const keep = h("button", { type: "button", "data-testid": "meanwhile-keep",
      onclick: () => this.decide(false) }, "Keep what is stored")
    this.element = h("div", { class: "meanwhile", role: "alert", hidden: true, "data-testid": "meanwhile" },
      this.words, this.mine, keep)
  }

  /** Adds entries {event, k, after} that were not stored; the last answer at a place counts. */
  ask(entries, desk) {
    const undone = new Set(entries.map(({ event }) => event.undoes).filter(Boolean))
    const kept = entries.filter(({ event }) => !undone.has(event.id) && event.action !== "undo")
    // An undo of something else that was overtaken: nothing was undone, and that is all to say.
    const lost = entries.filter(({ event }) => event.action === "undo" &&
      !entries.some((entry) => entry.event.id === event.undoes))
    const byPlace = new Map([...this.entries, ...kept].map((entry) => [`${entry.k}/${entry.event.at}`, entry]))
    const shown = (entry) => this.place(entry.event.at) !== undefined
    this.entries = [...byPlace.values()].filter(shown).filter((entry) => this.stored(entry, desk) !== entry.after)
    this.lost = lost.filter(shown)
    this.show(desk)
  }

  /** The annotator has answered this place anew, having seen what is stored. */
  answered(k, at, desk) {
    if (this.element.hidden) return
    this.entries = this.entries.filter((entry) => entry.k !== k || entry.event.at !== at)
    this.lost = []
    this.show(desk)
  }

  show(desk) {
    const said = this.entries.slice(0, NAMED).map(({ event, k, after }) =>
      `item ${this.place(event.at) + 1} is ${this.inWords(k, this.stored({ event, k }, desk))} (you: ${this.inWords(k, after)})`)
    if (this.entries.length > NAMED) said.push(`and ${this.entries.length - NAMED} more`)
    const kept = this.lost.map(({ event }) => `item ${this.place(event.at) + 1} changed, so nothing was undone there`)
    this.mine.hidden = !this.entries.length
    this.element.hidden = !said.length && !kept.length
    setText(this.words, `Stored meanwhile from another page: ${[...said, ...kept].join("; ")}.`)
  }

  stored({ event, k }, desk) {
    return desk.mark(k, this.place(event.at))
  }

  decide(replaced) {
    const entries = replaced ? this.entries : []
    this.clear()
    for (const entry of entries) this.replace(entry)
  }

  clear() {
    this.entries = this.lost = []
    this.element.hidden = true
  }
}
