/* What is known of the steps of a tour, and the questions for what is not: of the step that is shown first,
 * then of the next one, so that stepping on does not wait.
 */

import { Wire } from "./wire.js"

export const TOUR_PATIENCE_MS = 90000  // a run that nobody has looked at yet is opened first

export class TourAnswers {
  /**
   * @param on {pictures(n), words(n), trouble(sentence), ask(body), askWords(body)}; the first two once
   *   something about step `n` is known, the last two where the web route is missing
   */
  constructor(on, withWays) {
    Object.assign(this, { withWays, at: 0, found: new Map(), worded: new Map() })
    const first = (known, part) => ({ parts: this.wanted(known).slice(0, 1).map(part) })
    const patience = TOUR_PATIENCE_MS
    this.wire = new Wire({
      question: () => ({ ...first(this.found, (n) => this.partWithWay(n)), card: true }),
      onAnswer: (answer) => this.take(answer, this.found, on.pictures),
      onTrouble: on.trouble,
      askServer: on.ask,
      patience,
    })
    // The next step must not hold up the one that is shown: its run may have to be opened first.
    this.aheadWire = new Wire({
      question: () => ({ parts: [this.partWithWay(this.at + 1)], card: true }),
      onAnswer: (answer) => this.take(answer, this.found, on.pictures),
      onTrouble: () => {},
      askServer: () => {},
      patience,
    })
    this.wordWire = new Wire({
      question: () => ({ ...first(this.worded, (n) => this.part(n)), cloud: true }),
      onAnswer: (answer) => this.take(answer, this.worded, on.words),
      onTrouble: on.trouble,
      askServer: on.askWords,
      patience,
    })
    this.wires = [this.wire, this.aheadWire, this.wordWire]
  }

  /** Takes over the steps; what was known of others is forgotten. */
  adopt({ steps, url }, isOther) {
    this.steps = steps
    if (isOther) {
      this.found.clear()
      this.worded.clear()
      for (const wire of this.wires) wire.reset()
    }
    for (const wire of this.wires) wire.url = url
  }

  /** Step `at` is shown from now on. */
  go(at) {
    this.at = at
    for (const wire of this.wires) wire.reset()
    this.askMore()
  }

  part(n) {
    const { run, query, asks, axes, levels, n_sigma } = this.steps[n]
    return { key: String(n), run, query, asks, axes, levels, n_sigma }
  }

  /** With the step before it, where z can go from there: within a run. */
  partWithWay(n) {
    const part = this.part(n)
    const before = this.withWays() && n > 0 ? this.steps[n - 1] : null
    if (!before || before.run !== part.run || before.asks !== part.asks) return part
    const { query, axes, levels, n_sigma } = before
    return { ...part, since: { query, axes, levels, n_sigma } }
  }

  /** The way from step `from` to its neighbour `to`: {ids, items, side, ends}; null where none is known. */
  way(from, to) {
    const later = this.found.get(Math.max(from, to))
    const end = this.found.get(to)
    if (Math.abs(to - from) !== 1 || !later?.way || !end?.items) return null
    const { ids, items, from: first, back } = later.way
    const isOn = to > from
    return { ids: isOn ? ids : [...ids].reverse(), items, side: end.side, ends: [isOn ? first : back, end.at] }
  }

  /** The step that is shown and the next one, where they are not `known` yet. */
  wanted(known) {
    return [this.at, this.at + 1].filter((n) => n < this.steps.length && !known.has(n))
  }

  take(answer, known, tell) {
    for (const part of answer.parts) known.set(Number(part.key), part)
    for (const part of answer.parts) tell(Number(part.key))
    this.askMore()
  }

  /** The step that is shown goes first, and nothing is asked twice at a time. */
  askMore() {
    const isIdle = (wire) => wire.inFlight === null
    const isMissing = (n) => this.wanted(this.found).includes(n)
    if (isIdle(this.wire) && isMissing(this.at)) this.wire.ask()
    if (isIdle(this.aheadWire) && this.wire.url && isMissing(this.at + 1)) this.aheadWire.ask()
    if (isIdle(this.wordWire) && this.wanted(this.worded).length) this.wordWire.ask()
  }

  close() {
    for (const wire of this.wires) wire.close()
  }
}
