/* What stands where: levels by factor and position, flags, and the steps that can be taken back.
 * The same as rivae/labels/desk.py, kept up to date between two messages of the server.
 */

export const NOTHING = "."
export const FLAG = "f"
export const SKIPPED = "s"
export const ELSEWHERE = "o"  // asked of somebody else

/** Where the items of a plan stand on this desk. Events, and what the server says, name positions of
 * the plan; the desk counts from 0 in the order of one annotator's share.
 */
export class Places {
  /** @param order positions of the plan; null for all `n` of them */
  constructor(order, n) {
    this.order = order || [...Array(n).keys()]
    this.index = new Map(this.order.map((at, i) => [at, i]))
    this.n = this.order.length
  }

  /** The position in the plan of a place on the desk, and the other way; undefined where there is none. */
  at(i) {
    return this.order[i]
  }

  of(at) {
    return this.index.get(at)
  }

  /** What `Desk` is made of, from the plan's positions to places on the desk. */
  standing({ done, skips, flags, steps }) {
    const here = (positions) => positions.map((at) => this.of(at)).filter((i) => i !== undefined)
    return {
      done: done.map((row) => this.order.map((at) => row[at]).join("")),
      skips: skips.map(here), flags: here(flags), steps: this.steps(steps),
    }
  }

  steps(steps) {
    return steps.map(([id, at, ...rest]) => [id, this.of(at), ...rest]).filter(([, i]) => i !== undefined)
  }

  /** Entries of the queue, those that the desk shows. */
  entries(waiting) {
    return waiting.map((entry) => ({ ...entry, event: { ...entry.event, at: this.of(entry.event.at) } }))
      .filter(({ event }) => event.at !== undefined)
  }
}

export class Desk {
  /**
   * @param data {done: [string], skips: [[position]], flags: [position], steps: [[id, at, k, before, after]]}
   * @param waiting entries of the queue, in order, which the server may or may not have
   * @param own ids of the events of this page: they are taken back before those of other pages
   */
  constructor({ done, skips, flags, steps }, waiting, own = new Set()) {
    this.done = done.map((row) => [...row])
    skips.forEach((row, k) => row.forEach((at) => { this.done[k][at] = SKIPPED }))
    this.flags = new Set(flags)
    this.steps = steps.map(([id, at, k, before, after]) => ({ id, at, k, before, after }))
    // Without a level; the skipped ones are among them.
    this.left = this.done.map((row) => row.filter((mark) => !isLevel(mark)).length)
    this.skipped = this.done.map((row) => row.filter((mark) => mark === SKIPPED).length)
    const known = new Set(this.steps.map((step) => step.id))
    for (const { event, k, before, after } of waiting) {
      if (event.action === "undo") this.forget(event.undoes)
      else if (!known.has(event.id)) this.take({ id: event.id, at: event.at, k, before: this.mark(k, event.at), after })
    }
    this.putLast(own)
  }

  /** The steps of this page that are shown come last, so that they are taken back first. */
  putLast(own) {
    const shown = new Map(this.steps.map((step) => [`${step.k}/${step.at}`, step.id]))
    const isOwn = (step) => own.has(step.id) && shown.get(`${step.k}/${step.at}`) === step.id
    this.steps = [...this.steps.filter((step) => !isOwn(step)), ...this.steps.filter(isOwn)]
  }

  /** The mark at a position; k = -1 asks for the flag. */
  mark(k, at) {
    return k < 0 ? (this.flags.has(at) ? FLAG : NOTHING) : this.done[k][at]
  }

  set(k, at, mark) {
    if (k < 0) {
      if (mark === FLAG) this.flags.add(at)
      else this.flags.delete(at)
      return
    }
    const before = this.done[k][at]
    this.left[k] += !isLevel(mark) - !isLevel(before)
    this.skipped[k] += (mark === SKIPPED) - (before === SKIPPED)
    this.done[k][at] = mark
  }

  take(step) {
    this.steps.push(step)
    this.set(step.k, step.at, step.after)
  }

  /** Takes the last step back and returns it; undefined when there is none. */
  back() {
    const step = this.steps.pop()
    if (step) this.set(step.k, step.at, step.before)
    return step
  }

  /** An event that an undo names, wherever it stands among the steps. */
  forget(id) {
    const place = this.steps.findIndex((step) => step.id === id)
    if (place < 0) return
    const [step] = this.steps.splice(place, 1)
    // A later step at the same place began with what this one left.
    const later = this.steps.slice(place).find((s) => s.k === step.k && s.at === step.at)
    if (later) later.before = step.before
    else this.set(step.k, step.at, step.before)
  }

  /** Older steps, to be taken back after those that are here. */
  older(steps) {
    const known = new Set(this.steps.map((step) => step.id))
    const more = steps.map(([id, at, k, before, after]) => ({ id, at, k, before, after }))
    this.steps.unshift(...more.filter((step) => !known.has(step.id)))
  }

  /** How many positions have neither a level of factor k nor were skipped. */
  open(k) {
    return this.left[k] - this.skipped[k]
  }

  /**
   * The next place to label after `at` of factor k, [k, at]; null where only skipped items are left.
   * @param size of a sheet
   * @param inTurn to the factor that has come least far; else to the next one when this one is complete
   */
  next(k, at, size, inTurn) {
    const n = this.done.length
    if (inTurn) {
      const turn = [...this.done.keys()].map((i) => (k + 1 + i) % n)
      const open = turn.map((i) => [i, this.firstOpen(i)]).filter(([, first]) => first >= 0)
      const sheet = ([, first]) => Math.floor(first / size)
      return open.reduce((least, one) => (least && sheet(least) <= sheet(one) ? least : one), null)
    }
    if (!this.open(k)) k = this.done.findIndex((_, i) => this.open(i) > 0)
    if (k < 0) return null
    const later = this.firstOpen(k, at)
    return [k, later < 0 ? this.firstOpen(k) : later]
  }

  /** The first position of factor k in [from, to) that is not asked of somebody else, or -1. */
  firstAsked(k, from, to) {
    for (let at = from; at < to; at++) if (this.done[k][at] !== ELSEWHERE) return at
    return -1
  }

  /** The first position of factor k in [from, to) with this mark (without an answer), or -1. */
  firstOpen(k, from = 0, to = this.done[k].length, mark = NOTHING) {
    for (let at = from; at < to; at++) if (this.done[k][at] === mark) return at
    return -1
  }
}

function isLevel(mark) {
  return mark !== NOTHING && mark !== SKIPPED
}

/** Labels per minute and how long the rest takes; a pause of two minutes is not work. */
export class Pace {
  constructor() {
    this.times = []
    this.since = null
  }

  tick(now = Date.now()) {
    const last = this.times[this.times.length - 1]
    if (last === undefined || now - last > 10 * 60000) this.since = now
    this.times.push(now)
    if (this.times.length > 60) this.times.shift()
  }

  perMinute() {
    let minutes = 0
    for (let i = 1; i < this.times.length; i++) {
      minutes += Math.min(this.times[i] - this.times[i - 1], 120000) / 60000
    }
    return minutes > 0.15 ? (this.times.length - 1) / minutes : null
  }

  /** In words, with `left` labels to give, of which some were skipped. */
  said(left, skipped) {
    const rate = this.perMinute()
    const some = skipped ? ` (${skipped} skipped)` : ""
    if (rate === null || !left) return left ? `${left} left${some}` : "complete"
    const minutes = left / rate
    const rest = minutes < 1 ? "under a minute"
      : minutes < 90 ? `about ${Math.round(minutes)} min` : `about ${(minutes / 60).toFixed(1)} h`
    return `${left} left${some}, ${rest} at ${Math.round(rate)} a minute`
  }

  /** Whether somebody has been labelling for three quarters of an hour without a pause. */
  tired(now = Date.now()) {
    return this.since !== null && now - this.since > 45 * 60000
  }
}
