/* One question in flight, the newest wins.
 *
 * While a thumb is dragged the browser asks many times a second. Sending each question at once
 * would queue them on a slow line; here a question is only sent when the last one is answered, and
 * it always carries the newest values. Answers echo the number of their question, so a late one can
 * be told from a fresh one.
 */

const TIMEOUT_MS = 6000
const MAX_LOSSES = 3
const KEEP_PICTURES = 4000
const TELL_PICTURES = 250

export class Wire {
  /**
   * @param question () => the newest {run, rows, z, k, side}, or null where all is answered by now
   * @param onAnswer called with each answer, in order
   * @param onTrouble called with a sentence, or "" when all is well again
   * @param askServer asks through the Streamlit session, where the web route is missing
   * @param patience after how many ms an answer counts as lost
   */
  constructor({ question, onAnswer, onTrouble, askServer, patience = TIMEOUT_MS }) {
    Object.assign(this, { question, onAnswer, onTrouble, askServer, patience })
    this.url = ""
    this.seq = 0
    this.shown = 0
    this.losses = 0
    this.inFlight = null
    this.waiting = false
    this.closed = false
    this.pictures = new Map()
  }

  /** Asks for the newest values now, or as soon as the answer under way is here. */
  ask() {
    if (this.closed) return
    if (this.inFlight !== null) {
      this.waiting = true
      return
    }
    this.waiting = false
    const question = this.question()
    if (!question) return
    const seq = ++this.seq
    this.inFlight = seq
    this.timer = setTimeout(() => this.lost(seq), this.patience)
    const body = { ...question, seq, have: [...this.pictures.keys()].slice(-TELL_PICTURES) }
    if (!this.url) {
      this.askServer(body)
      return
    }
    this.fetchAnswer(body).then(
      (answer) => this.receive(answer),
      (error) => this.fail(seq, error),
    )
  }

  async fetchAnswer(body) {
    const reply = await fetch(this.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    })
    const isJson = (reply.headers.get("content-type") || "").includes("json")
    if (!isJson) throw Object.assign(new Error("no route"), { noRoute: true })
    const answer = await reply.json()
    if (!reply.ok) throw new Error(answer.error || "The search failed; reload the page.")
    return answer
  }

  /** Takes one answer, from the route or from the session. */
  receive(answer) {
    if (this.closed || answer.seq !== this.inFlight) return
    this.settle()
    this.losses = 0
    this.remember(answer.items)
    if (answer.seq > this.shown) {
      this.shown = answer.seq
      this.onTrouble(answer.error || "")
      if (!answer.error) this.onAnswer(answer)
    }
    if (this.waiting) this.ask()
  }

  fail(seq, error) {
    if (this.closed || seq !== this.inFlight) return
    this.settle()
    if (error.noRoute) {
      this.url = ""
      this.ask()
      return
    }
    const offline = error instanceof TypeError
    this.onTrouble(offline ? "No connection to the server: check that it is running." : error.message)
    if (this.waiting) this.ask()
  }

  lost(seq) {
    if (seq !== this.inFlight) return
    this.settle()
    this.onTrouble("The server is slow to answer; trying again.")
    if (this.waiting || this.losses++ < MAX_LOSSES) this.ask()
    else this.onTrouble("The server does not answer; reload the page or move a slider.")
  }

  /** Drops the answer under way: it belongs to a state that is shown no more. */
  reset() {
    this.settle()
    this.waiting = false
    this.shown = this.seq
  }

  settle() {
    clearTimeout(this.timer)
    this.inFlight = null
  }

  /** Keeps the pictures of `items` {id: [title, address, tiny]}; the oldest go first. */
  remember(items) {
    for (const [id, item] of Object.entries(items || {})) this.pictures.set(Number(id), item)
    while (this.pictures.size > KEEP_PICTURES) {
      this.pictures.delete(this.pictures.keys().next().value)
    }
  }

  /** The picture of item `id`, marked as the most recently used. */
  picture(id) {
    const item = this.pictures.get(id)
    if (item) {
      this.pictures.delete(id)
      this.pictures.set(id, item)
    }
    return item
  }

  /** Drops all pictures, e.g. when the other side of the items is to be shown. */
  forget() {
    this.reset()
    this.pictures.clear()
  }

  close() {
    this.closed = true
    clearTimeout(this.timer)
  }
}
