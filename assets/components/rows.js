/* One row per axis: how reliable it is, slider between its two poles, reset; and where they are asked for,
 * lock, number with effect and value.
 *
 * An axis that was added has an `id` and no lock: it moves all of z.
 *
 * Right is always more of what the axis is named after: where that falls as z grows, the slider is
 * turned, and shows −z.
 */

import { clamp, h, icon, round4, setText, sureMark } from "./dom.js"

const STEPS_PER_SIGMA = 20
// Height of the normal curve at -3 ... 3 s.d., drawn behind the thumb: where the data are.
const DENSITY = [-3, -2.25, -1.5, -0.75, 0, 0.75, 1.5, 2.25, 3].map((t) => [t, Math.exp(-t * t / 2)])

export class Row {
  /**
   * @param dim {j, id?, name, short, given, suggested, left, right, flipped, about, held, terms, mean, std, effect}:
   *   in full, its number, what it is called, whether nobody has accepted that, its poles, the evidence
   * @param on {input(j, value), commit(), lock(j), focus(j), hold(isHeld), about(j)?}; with the last
   *   one the axis' poles lead to all that is known of it
   */
  constructor(dim, on) {
    this.dim = dim
    this.on = on
    this.sign = dim.flipped ? -1 : 1
    this.mean = this.sign * dim.mean
    this.label = `${dim.flipped ? "−" : ""}${dim.short}`
    const { name } = dim
    const at = dim.id ?? dim.j + 1
    const button = (label, glyph, run, extra = {}) => {
      const node = h(
        "button", { type: "button", title: label, "aria-label": label, tabIndex: -1, ...extra }, glyph,
      )
      node.onclick = run
      return node
    }
    this.lock = dim.id ? h("span", { class: "lock" })
      : button(`Lock ${name}`, icon("unlock"), () => on.lock(dim.j), { class: "lock" })
    this.slider = h("input", {
      type: "range", "aria-label": name, "data-testid": `slider-${at}`, step: "any",
    })
    this.number = h("input", {
      type: "number", class: "num", "aria-label": `${name}, value`, step: "any",
      "data-testid": `number-${at}`,
    })
    this.fill = h("i", { class: "fill" })
    this.home = h("i", { class: "home" })
    this.reset = button(`Reset ${name} to the query`, icon("reset"), () => this.goHome(), {
      class: "reset",
    })
    const about = on.about && {
      type: "button", title: `All about ${name}`, "aria-label": `All about ${name}`,
      "data-testid": `about-${at}`, onclick: () => on.about(dim.j), tabIndex: -1,
    }
    const poles = polesOf(dim, about)
    this.short = about && !poles ? h("button", { ...about, class: "about-axis" }, this.label) : h("b", {}, this.label)
    const effect = h("i", { class: "effect", style: `--effect:${dim.effect}` })
    const percent = Math.round(dim.effect * 100)
    this.dot = h("span", { class: "dot" })
    this.why = h("small", { class: "why", hidden: true })
    this.element = h(
      "div",
      {
        class: poles ? "row named" : "row", role: "group", "aria-label": name,
        "data-testid": "dim-row", "data-dim": at,
      },
      this.lock,
      h(
        "span",
        { class: "name", title: `${percent} % of small steps along ${name} change the best match` },
        h("span", { class: "short" }, this.dot, this.short), effect,
      ),
      h("span", { class: "way" }, poles,
        h("span", { class: "track" }, h("i", { class: "rail" }, this.fill, this.home), this.slider), this.why),
      this.number,
      this.reset,
    )
    this.setMark(undefined)
    this.listen()
  }

  listen() {
    const { slider, number, on, dim } = this
    slider.oninput = () => on.input(dim.j, this.sign * Number(slider.value))
    slider.onchange = () => on.commit()
    slider.onpointerdown = () => on.hold(true)
    slider.onpointerup = slider.onpointercancel = () => on.hold(false)
    slider.onfocus = number.onfocus = () => on.focus(dim.j)
    slider.onkeydown = (event) => this.key(event)
    number.oninput = () => (this.editing = true)
    number.onblur = () => {
      this.editing = false
      this.write(this.value)
    }
    number.onchange = () => {
      this.editing = false
      const value = Number(number.value)
      if (number.value !== "" && Number.isFinite(value)) {
        on.input(dim.j, this.sign * clamp(value, -1000, 1000))
        on.commit()
      } else this.write(this.value)
    }
    number.onkeydown = (event) => {
      event.stopPropagation()
      if (event.key === "Enter") number.onchange()
    }
  }

  /** The keys of a native slider, in steps of s.d./20 (Shift: s.d./2), and three of our own. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const sign = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
    const page = { PageUp: 1, PageDown: -1 }[event.key]
    if (sign) this.step(sign * (event.shiftKey ? STEPS_PER_SIGMA / 2 : 1))
    else if (page) this.step(page * STEPS_PER_SIGMA)
    else if (event.key === "Delete" || event.key === "Backspace") this.goHome()
    else if (event.key === "l" || event.key === "L") event.repeat || this.dim.id || this.on.lock(this.dim.j)
    else if (event.key === "i" && this.on.about) this.on.about(this.dim.j)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  /** To the right, or to the left. */
  step(count) {
    this.to(round4(this.value + (this.sign * count * this.dim.std) / STEPS_PER_SIGMA))
  }

  /** It was moved by hand, not by another axis. */
  touch(is = true) {
    this.isTouched = is
    this.element.classList.toggle("touched", is)
  }

  get isMoved() {
    return this.isTouched && Math.abs(this.value - this.homeValue) > 5e-5
  }

  goHome() {
    this.to(this.homeValue)
  }

  to(value) {
    this.on.focus(this.dim.j)
    this.on.input(this.dim.j, value)
    this.on.commit()
  }

  /** Sets the range to mean ± span s.d., widened so that the query itself always fits. */
  setRange(span, homeValue) {
    const { std } = this.dim
    const home = this.sign * homeValue
    this.homeValue = homeValue
    this.low = Math.min(this.mean - span * std, home - 0.5 * std)
    this.high = Math.max(this.mean + span * std, home + 0.5 * std)
    this.slider.min = this.low
    this.slider.max = this.high
    const stops = DENSITY.map(
      ([t, p]) => `color-mix(in srgb, var(--ink) ${(8 + 26 * p).toFixed(1)}%, transparent) ` +
        `${(100 * this.place(this.mean + t * std)).toFixed(1)}%`,
    )
    this.element.style.setProperty("--density", `linear-gradient(90deg, ${stops.join(", ")})`)
    this.home.style.left = `${100 * this.place(home)}%`
  }

  /** Where on the slider it shows a number, from 0 to 1. */
  place(shown) {
    return clamp((shown - this.low) / (this.high - this.low), 0, 1)
  }

  /** Shows the z `value`; the thumb under the finger is left alone, it is already there. */
  write(value) {
    this.value = value
    const shown = this.sign * value
    if (Math.abs(Number(this.slider.value) - shown) > 6e-5) this.slider.value = shown
    const text = shown.toFixed(2)
    if (!this.editing && this.number.value !== text) this.number.value = text
    const [a, b] = [this.place(this.sign * this.homeValue), this.place(shown)].sort((x, y) => x - y)
    this.fill.style.left = `${100 * a}%`
    this.fill.style.width = `${100 * (b - a)}%`
    const sigma = (shown - this.mean) / this.dim.std
    this.slider.setAttribute(
      "aria-valuetext", `${text}, ${Math.abs(sigma).toFixed(1)} s.d. ${sigma < 0 ? "below" : "above"} the mean`,
    )
    const moved = Math.abs(value - this.homeValue) > 5e-5
    this.element.classList.toggle("moved", moved)
    this.reset.disabled = !moved
  }

  /** Shows how reliable the axis is: by its name's score on held-out items, and by `mark` without labels. */
  setMark(mark) {
    const { j, held } = this.dim
    this.dim.mark = mark
    const shown = held && mark ? { ...held, text: `${held.text}. ${mark.text}` } : held || mark
    this.dot.replaceChildren(...(shown ? [sureMark(shown, `sure-${j + 1}`)] : []))
    if (shown) this.slider.setAttribute("aria-describedby", `sure-${j + 1}`)
    else this.slider.removeAttribute("aria-describedby")
  }

  /** Says by which words it was found. */
  setWhy(words) {
    this.why.hidden = !words.length
    setText(this.why, words.length ? `matches: ${words.join(", ")}` : "")
  }

  /** Says why the axis cannot be moved, "" where it can. */
  setStuck(why) {
    this.slider.disabled = this.number.disabled = Boolean(why)
    this.slider.title = why
    this.element.classList.toggle("stuck", Boolean(why))
  }

  setLocked(locked) {
    this.element.classList.toggle("locked", locked)
    this.lock.setAttribute("aria-pressed", String(locked))
    this.lock.replaceChildren(icon(locked ? "lock" : "unlock"))
  }
}

/** What lies at both ends of a slider; null where nothing says so. With `about` a button of these properties. */
function polesOf({ left, right, given, suggested, about: evidence }, about) {
  const name = right || given
  if (!name) return null
  const title = `${left ? `${left} ↔ ` : ""}${name}\n${evidence}`
  const proposed = suggested ? `${title}\nProposed: nobody has accepted this name yet` : title
  return h(about ? "button" : "span", { ...about, class: suggested ? "poles suggested" : "poles", title: proposed.trim() },
    h("span", {}, left), h("span", {}, name))
}
