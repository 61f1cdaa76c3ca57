/* Pictures and texts of positions: fetched ahead, kept while they may be needed again. */

const KEEP_AHEAD = 120
const TEXTS_AT_ONCE = 24

export class LabelItems {
  /** @param changed called when texts have arrived */
  constructor(changed) {
    this.changed = changed
    this.open("", 0)
  }

  open(url, n) {
    if (this.url === url && this.n === n) return
    Object.assign(this, { url, n, images: new Map(), texts: new Map(), asked: new Set(), examples: null })
  }

  picture(at) {
    return `${this.url}/picture/${at}`
  }

  /** Loads the pictures and texts of [from, to) before they are shown. */
  ahead(from, to) {
    if (!this.url) return
    for (let at = Math.max(from, 0); at < Math.min(to, this.n); at++) {
      if (!this.images.has(at)) this.images.set(at, Object.assign(new Image(), { src: this.picture(at) }))
    }
    while (this.images.size > KEEP_AHEAD) this.images.delete(this.images.keys().next().value)
    const first = Math.floor(Math.max(from, 0) / TEXTS_AT_ONCE) * TEXTS_AT_ONCE
    for (let at = first; at < Math.min(to, this.n); at += TEXTS_AT_ONCE) this.fetchTexts(at)
  }

  async fetchTexts(at) {
    if (this.asked.has(at)) return
    this.asked.add(at)
    const url = this.url
    try {
      const reply = await fetch(`${url}/texts/${at}/${TEXTS_AT_ONCE}`)
      if (!reply.ok || url !== this.url) throw new Error("no texts")
      for (const [key, text] of Object.entries(await reply.json())) this.texts.set(Number(key), text)
      this.changed()
    } catch {
      this.asked.delete(at)  // asked again when it is shown again
    }
  }

  text(at) {
    return this.texts.get(at)
  }

  /** The guideline's example pictures {factor: {level: address}}; empty where there are none. */
  async levelExamples() {
    if (!this.examples && this.url) {
      try {
        const reply = await fetch(`${this.url}/examples`)
        if (reply.ok) this.examples = await reply.json()
      } catch {
        return {}  // the words of the guideline are there without them
      }
    }
    return this.examples || {}
  }
}
