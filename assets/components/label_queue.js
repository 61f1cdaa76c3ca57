/* Labels on their way to the server.
 *
 * Every event stands in the browser's storage from the key press until the server has said under
 * which number it is stored. One batch is under way at a time; a batch without an answer is sent
 * again as it is, which is harmless: events are known by their ids.
 */

import { debounce } from "./dom.js"

const SEND_MS = 100
const ANSWER_MS = 5000
const RETRY_MS = 3000
const BATCH = 100

export class LabelQueue {
  /**
   * @param send hands a batch to Python
   * @param changed called whenever the state that `said()` describes may have changed
   * @param refused called with a sentence and the event that can never be stored
   * @param seen the number of the last event that this page has been told of
   */
  constructor({ send, changed, refused, seen }) {
    Object.assign(this, { send, changed, refused, seen })
    this.waiting = []
    this.trouble = ""
    this.kept = true
    this.inFlight = null
    this.soon = debounce(() => this.flush(), SEND_MS)
  }

  /** Goes to another plan or annotator; returns what is waiting there from before. */
  open(plan, by) {
    if (this.plan === plan && this.by === by) return this.waiting
    Object.assign(this, { plan, by, waiting: [], inFlight: null, trouble: "" })
    clearTimeout(this.timer)
    for (const key of storedKeys(this.prefix())) {
      try {
        const entry = JSON.parse(localStorage.getItem(key))
        if (entry && entry.event && entry.event.id) this.waiting.push(entry)
      } catch {
        localStorage.removeItem(key)
      }
    }
    this.waiting.sort((a, b) => a.order - b.order)
    if (this.waiting.length) this.soon()
    this.changed()
    return this.waiting
  }

  prefix() {
    return `rivae-label/${encodeURIComponent(this.plan)}/${encodeURIComponent(this.by)}/`
  }

  /** Keeps an event; `entry` is {event, k, before, after} for after a reload. */
  add(entry) {
    // The clock orders events of different tabs; two in one millisecond keep their order.
    const last = this.waiting.length ? this.waiting[this.waiting.length - 1].order : 0
    entry.order = Math.max(Date.now(), last + 0.001)
    this.waiting.push(entry)
    try {
      localStorage.setItem(this.prefix() + entry.event.id, JSON.stringify(entry))
      this.kept = true
    } catch {
      this.kept = false  // no storage here: the page itself still holds it
    }
    if (this.inFlight === null && !this.trouble) this.soon()
    this.changed()
  }

  drop(ids) {
    if (!ids.size) return
    this.waiting = this.waiting.filter((entry) => !ids.has(entry.event.id))
    for (const id of ids) {
      try {
        localStorage.removeItem(this.prefix() + id)
      } catch {
        break
      }
    }
  }

  flush() {
    if (this.inFlight !== null || !this.waiting.length) return
    clearTimeout(this.timer)
    const events = this.waiting.slice(0, BATCH).map((entry) => entry.event)
    this.inFlight = `${Date.now()}-${events[0].id}`
    this.timer = setTimeout(() => this.lost(), ANSWER_MS)
    this.send({ batch: this.inFlight, plan: this.plan, by: this.by, seen: this.seen(), events })
  }

  lost() {
    this.inFlight = null
    this.trouble = "The server does not answer"
    this.changed()
    this.flush()
  }

  /** Takes the answer {batch, plan, by, stored, refused, overtaken, error}; an old one once more is
   * harmless. Returns the entries that another page was faster than: they are not stored.
   */
  receive(answer) {
    if (!answer || answer.plan !== this.plan || answer.by !== this.by) return []
    const byId = new Map(this.waiting.map((entry) => [entry.event.id, entry]))
    const bad = Object.entries(answer.refused || {}).filter(([id]) => byId.has(id))
    const late = (answer.overtaken || []).map((id) => byId.get(id)).filter(Boolean)
    this.drop(new Set([...Object.keys(answer.stored || {}), ...bad.map(([id]) => id),
      ...late.map((entry) => entry.event.id)]))
    for (const [id, sentence] of bad) this.refused(sentence, byId.get(id))
    if (answer.batch !== this.inFlight) return late
    clearTimeout(this.timer)
    this.inFlight = null
    this.trouble = answer.error || ""
    if (answer.error) this.timer = setTimeout(() => this.flush(), RETRY_MS)
    else if (this.waiting.length) this.soon()
    this.changed()
    return late
  }

  /** The state in words, and whether something is wrong. */
  said() {
    const n = this.waiting.length
    const labels = `${n} label${n === 1 ? "" : "s"}`
    if (!n) return ["All saved", false]
    if (!this.trouble) return [`Saving ${labels}`, false]
    const reason = this.trouble.replace(/[.\s]+$/, "")
    return this.kept
      ? [`${reason}. ${labels} kept in this browser until it does.`, true]
      : [`${reason}. ${labels} not saved: leave this tab open.`, true]
  }

  close() {
    clearTimeout(this.timer)
    this.soon.cancel()
    this.inFlight = null
    // A panel that is mounted again begins with what is in the storage.
    this.plan = this.by = undefined
  }
}

function storedKeys(prefix) {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}

/** A UUID; `randomUUID` exists only on https and this machine. */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
