/* One row per latent dimension: lock, name with effect, −, slider, +, number, reset. */

const STEPS_PER_SIGMA = 20
// Height of the normal curve at -3 ... 3 s.d., drawn behind the thumb: where the data are.
const DENSITY = [-3, -2.25, -1.5, -0.75, 0, 0.75, 1.5, 2.25, 3].map((t) => [t, Math.exp(-t * t / 2)])

class Row {
  /**
   * @param dim {j, name, short, given, suggested, mean, std, effect}: in full, its number, what it was
   *   named, or what words suggest
   * @param on {input(j, value), commit(), lock(j), focus(j), hold(isHeld)}
   */
  constructor(dim, on) {
    this.dim = dim
    this.on = on
    const { name } = dim
    const button = (label, glyph, run, extra = {}) => {
      const node = h(
        "button", { type: "button", title: label, "aria-label": label, tabIndex: -1, ...extra }, glyph,
      )
      node.onclick = run
      return node
    }
    this.lock = button(`Lock ${name}`, icon("unlock"), () => on.lock(dim.j), { class: "lock" })
    this.slider = h("input", {
      type: "range", "aria-label": name, "data-testid": `slider-${dim.j + 1}`, step: "any",
    })
    this.number = h("input", {
      type: "number", class: "num", "aria-label": `${name}, value`, step: "any",
      "data-testid": `number-${dim.j + 1}`,
    })
    this.fill = h("i", { class: "fill" })
    this.home = h("i", { class: "home" })
    this.reset = button(`Reset ${name} to the query`, icon("reset"), () => this.goHome(), {
      class: "reset",
    })
    this.short = h("b", {}, dim.short)
    const effect = h("i", { class: "effect", style: `--effect:${dim.effect}` })
    const percent = Math.round(dim.effect * 100)
    this.element = h(
      "div",
      {
        class: "row", role: "group", "aria-label": name, "data-testid": "dim-row",
        "data-dim": dim.j + 1,
      },
      givenName(dim, "given"),
      this.lock,
      h(
        "span",
        { class: "name", title: `${percent} % of small steps along ${name} change the best match` },
        this.short, effect,
      ),
      button(`${name} down`, "−", () => this.step(-1), { class: "step" }),
      h("span", { class: "track" }, h("i", { class: "rail" }, this.fill, this.home), this.slider),
      button(`${name} up`, "+", () => this.step(1), { class: "step" }),
      this.number,
      this.reset,
    )
    this.listen()
  }

  listen() {
    const { slider, number, on, dim } = this
    slider.oninput = () => on.input(dim.j, Number(slider.value))
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
        on.input(dim.j, clamp(value, -1000, 1000))
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
    else if (event.key === "l" || event.key === "L") this.on.lock(this.dim.j)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  step(count) {
    this.to(round4(this.value + (count * this.dim.std) / STEPS_PER_SIGMA))
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
    const { mean, std } = this.dim
    this.homeValue = homeValue
    this.low = Math.min(mean - span * std, homeValue - 0.5 * std)
    this.high = Math.max(mean + span * std, homeValue + 0.5 * std)
    this.slider.min = this.low
    this.slider.max = this.high
    const stops = DENSITY.map(
      ([t, p]) => `color-mix(in srgb, var(--ink) ${(8 + 26 * p).toFixed(1)}%, transparent) ` +
        `${(100 * this.place(mean + t * std)).toFixed(1)}%`,
    )
    this.element.style.setProperty("--density", `linear-gradient(90deg, ${stops.join(", ")})`)
    this.home.style.left = `${100 * this.place(homeValue)}%`
  }

  place(value) {
    return clamp((value - this.low) / (this.high - this.low), 0, 1)
  }

  /** Shows `value`; the thumb under the finger is left alone, it is already there. */
  write(value) {
    this.value = value
    if (Math.abs(Number(this.slider.value) - value) > 6e-5) this.slider.value = value
    const text = value.toFixed(2)
    if (!this.editing && this.number.value !== text) this.number.value = text
    const [a, b] = [this.place(this.homeValue), this.place(value)].sort((x, y) => x - y)
    this.fill.style.left = `${100 * a}%`
    this.fill.style.width = `${100 * (b - a)}%`
    const sigma = (value - this.dim.mean) / this.dim.std
    this.slider.setAttribute(
      "aria-valuetext", `${text}, ${Math.abs(sigma).toFixed(1)} s.d. ${sigma < 0 ? "below" : "above"} the mean`,
    )
    const moved = Math.abs(value - this.homeValue) > 5e-5
    this.element.classList.toggle("moved", moved)
    this.reset.disabled = !moved
  }

  /** Shows how sure the axis is; nothing where nothing says so. */
  setMark(mark) {
    const { j, short } = this.dim
    this.short.replaceChildren(short, ...(mark ? [sureMark(mark, `sure-${j + 1}`)] : []))
    if (mark) this.slider.setAttribute("aria-describedby", `sure-${j + 1}`)
    else this.slider.removeAttribute("aria-describedby")
  }

  setLocked(locked) {
    this.element.classList.toggle("locked", locked)
    this.lock.setAttribute("aria-pressed", String(locked))
    this.lock.replaceChildren(icon(locked ? "lock" : "unlock"))
  }
}
