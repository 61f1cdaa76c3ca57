/* A step of a tour under a hand: its sliders ask for where they stand, and it is forgotten with the step. */

import { debounce } from "./dom.js"
import { TOUR_PATIENCE_MS } from "./tour_answers.js"
import { Wire } from "./wire.js"

const REST_MS = 500  // of the sliders, before words are asked for

export class TourLive {
  /** @param on {part(), pictures(part), words(part), trouble(sentence)}; `part()` is the step as it was made */
  constructor(on) {
    this.on = on
    this.levels = null
    this.wire = new Wire({
      question: () => ({ parts: [{ ...on.part(), levels: this.levels }] }),
      onAnswer: ({ parts }) => this.isOf(parts[0]) && on.pictures(parts[0]),
      onTrouble: on.trouble,
      askServer: () => {},
      patience: TOUR_PATIENCE_MS,
    })
    this.wordWire = new Wire({
      question: () => {
        this.worded = this.levels
        return { parts: [{ ...on.part(), levels: this.worded }], cloud: true }
      },
      onAnswer: ({ parts }) => this.isOf(parts[0]) && this.worded === this.levels && on.words(parts[0]),
      onTrouble: () => {},
      askServer: () => {},
      patience: TOUR_PATIENCE_MS,
    })
    this.wires = [this.wire, this.wordWire]
    this.askWordsSoon = debounce(() => this.levels && this.wordWire.ask(), REST_MS)
  }

  /** Whether an answer is of the step that is under the hand. */
  isOf(part) {
    return this.levels !== null && part.key === this.on.part().key
  }

  /** A slider has moved: levels of z in s.d. from the mean. */
  steer(levels) {
    this.levels = levels
    this.wire.ask()
    this.askWordsSoon()
  }

  forget() {
    this.levels = null
    for (const wire of this.wires) wire.reset()
  }

  setUrl(url) {
    for (const wire of this.wires) wire.url = url
  }

  close() {
    this.askWordsSoon.cancel()
    for (const wire of this.wires) wire.close()
  }
}
