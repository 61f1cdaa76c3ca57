/* Home's panel: three sliders and the grid that follows them.
 *
 * It is Explore without everything that can wait. Nothing is kept in the address; "Explore"
 * takes the query and the sliders along. Until somebody touches it, one slider moves by itself once.
 */

import { debounce, h, icon, setText } from "./dom.js"
import { COMMIT_MS, Panel, SPEAK_MS, mounted } from "./panel.js"
import { Sliders } from "./sliders.js"
import { Tiles } from "./tiles.js"
import { Wire } from "./wire.js"

const HINT_AFTER_MS = 1600
const HINT_MS = 3200
const HINT_SIGMAS = 1.4

class HeroPanel extends Panel {
  constructor(root) {
    super()
    this.wire = new Wire({
      question: () => this.question(),
      onAnswer: (answer) => this.paint(answer),
      onTrouble: (sentence) => setText(this.error, sentence),
      askServer: (body) => this.send("ask", body),
    })
    this.tiles = new Tiles({
      pick: (id) => this.send("start", { query: id }),
      picture: (id) => this.wire.picture(id),
    })
    this.commitSoon = debounce(() => {}, COMMIT_MS)
    this.speakSoon = debounce(() => setText(this.live, this.tiles.sentence()), SPEAK_MS)
    this.sliders = new Sliders({
      gesture: () => this.tiles.startGesture(),
      change: () => this.wire.ask(),
      rest: () => {},
      release: () => {},
      focus: () => {},
    }, false)
    this.build(root)
  }

  question() {
    const { run, k, side } = this.data
    return { run, rows: "test", asks: "first", z: this.sliders.values, k, side }
  }

  build(root) {
    const button = (label, glyph, name, run, kind = "") => {
      const node = h("button", { type: "button", class: kind, "data-testid": name }, icon(glyph), label)
      node.onclick = run
      return node
    }
    this.picture = h("img", { alt: "", class: "query-picture", draggable: false })
    this.title = h("b", {})
    this.error = h("p", { class: "error", role: "alert" })
    this.live = h("p", { class: "sr", role: "status", "aria-live": "polite" })
    const query = h("section", { class: "query", "aria-label": "Query" }, this.picture,
      h("div", { class: "about" }, h("span", { class: "label" }, "Query"), this.title,
        h("div", { class: "buttons" },
          button("Another", "dice", "hero-other", () => this.send("start", {})),
          button("Reset", "reset", "hero-reset", () => this.sliders.setFree(this.sliders.base)))))
    this.run = h("b", {})
    const caption = h("p", { class: "caption" }, this.run,
      ". Each slider is one axis that the model has learned: move it, and other items come first.")
    const open = button("Explore", "tune", "hero-open", () => this.send("open", { z: this.sliders.values, added: this.sliders.added.moved() }), "go")
    const own = button("Use my pictures", "gallery", "hero-own", () => this.send("own", {}))
    this.element = h("div", { class: "explore hero", "data-testid": "hero" },
      h("div", { class: "left" }, query, caption, this.sliders.controls.list, open, own),
      h("section", { class: "results", "aria-label": "Results" }, this.error, this.tiles.element, this.live))
    root.append(h("div", { class: "frame" }, this.element))
    for (const kind of ["pointerdown", "keydown", "focusin"]) {
      this.element.addEventListener(kind, (event) => this.takeOver(event))
    }
  }

  adopt(data) {
    const sameRun = this.data && this.data.key === data.key
    this.data = data
    this.rev = data.rev
    this.wire.url = data.url
    this.wire.reset()
    this.picture.src = data.query.picture
    this.picture.alt = data.query.title
    this.picture.classList.toggle("tiny", data.query.tiny)
    setText(this.title, data.query.title)
    setText(this.run, data.title)
    const values = { values: data.z, base: data.z, locked: [], span: 2, byEffect: false,
      addedAxes: data.addedAxes, chosen: data.chosen }
    this.sliders.adopt(sameRun ? null : data.dims, values)
    this.wire.remember(data.first.items)
    this.tiles.clearMarks()
    this.paint({ ...data.first, seq: this.wire.shown })
    this.hintSoon()
  }

  paint(answer) {
    this.tiles.grid.style.setProperty("--aspect", this.data.aspect)
    this.tiles.show(answer.ids, answer.seq)
    this.speakSoon()
  }

  // the hint: a slider goes there and back once, so that one sees what it does

  hintSoon() {
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches
    if (this.hinted || still) return
    this.hinted = true
    this.hintTimer = setTimeout(() => this.hint(performance.now()), HINT_AFTER_MS)
  }

  hint(began) {
    const { j, row, home } = this.first()
    // Towards the middle of the data: at its edge there is less to see.
    const way = home > row.dim.mean ? -1 : 1
    const step = (now) => {
      const t = Math.min(1, (now - began) / HINT_MS)
      const place = home + way * HINT_SIGMAS * row.dim.std * Math.sin(Math.PI * t)
      this.sliders.set(j, place)
      if (t < 1) return (this.hintFrame = requestAnimationFrame(step))
      this.sliders.setFree(this.sliders.base)
      this.hinting = false
    }
    this.hinting = true
    this.hintFrame = requestAnimationFrame(step)
  }

  /** The slider that is shown first, and where the query lies on it. */
  first() {
    const j = this.data.chosen[0]
    const { base, added } = this.sliders
    return { j, row: this.sliders.rows[j], home: [...base, ...added.places(base)][j] }
  }

  /** The visitor's hand ends it; its slider goes home, unless that is what the hand has taken. */
  takeOver({ target }) {
    this.stopHint()
    if (!this.hinting) return
    this.hinting = false
    if (!this.first().row.element.contains(target)) this.sliders.setFree(this.sliders.base)
  }

  stopHint() {
    clearTimeout(this.hintTimer)
    cancelAnimationFrame(this.hintFrame)
  }

  close() {
    super.close()
    this.stopHint()
  }
}

export default mounted(HeroPanel)
