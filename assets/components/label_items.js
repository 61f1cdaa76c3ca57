/* Pictures and texts of positions: fetched ahead, kept while they may be needed again. */

import { Places } from "./label_desk.js"

const KEEP_AHEAD = 120
const TEXTS_AT_ONCE = 24

export class LabelItems {
  /** @param changed called when texts have arrived */
  constructor(changed) {
    this.changed = changed
    this.open("", new Places(null, 0))
  }

  /** @param places what the desk's places are in the plan, by which pictures and texts are named */
  open(url, places) {
    this.places = places
    if (this.url === url) return
    Object.assign(this, { url, images: new Map(), texts: new Map(), asked: new Set(), examples: null })
  }

  picture(i) {
    return `${this.url}/picture/${this.places.at(i)}`
  }

  /** Loads the pictures and texts of [from, to) before they are shown. */
  ahead(from, to) {
    if (!this.url) return
    const firsts = new Set()
    for (let i = Math.max(from, 0); i < Math.min(to, this.places.n); i++) {
      const at = this.places.at(i)
      if (!this.images.has(at)) this.images.set(at, Object.assign(new Image(), { src: this.picture(i) }))
      firsts.add(Math.floor(at / TEXTS_AT_ONCE) * TEXTS_AT_ONCE)
    }
    while (this.images.size > KEEP_AHEAD) this.images.delete(this.images.keys().next().value)
    for (const at of firsts) this.fetchTexts(at)
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

  text(i) {
    return this.texts.get(this.places.at(i))
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
