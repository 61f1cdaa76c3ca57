/* From one step of a tour to the next: z goes straight there, and pictures change on the way. */

const GLIDE_MS = 700

/** How far one is after `share` of the time, 0 to 1: slow at both ends. */
export function eased(share) {
  return share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2
}

/** What is shown `share` of the way: the place, from 0 at the start to `n` + 1 at the end, and the levels. */
export function glidePlace(share, n, [from, to]) {
  return { place: Math.round(share * (n + 1)), levels: from.map((level, j) => level + share * (to[j] - level)) }
}

export class Glide {
  /** @param draw({place, levels}) called with every frame, see `glidePlace`; end() when it has arrived */
  constructor(draw, end) {
    Object.assign(this, { draw, end, frame: null })
  }

  get isRunning() {
    return this.frame !== null
  }

  /** Starts for `n` places on the way, with the levels of both `ends`. */
  start(n, ends) {
    this.stop()
    const began = performance.now()
    const step = () => {
      const share = (performance.now() - began) / GLIDE_MS
      this.frame = share < 1 ? requestAnimationFrame(step) : null
      if (share < 1) this.draw(glidePlace(eased(share), n, ends))
      else this.end()
    }
    this.frame = requestAnimationFrame(step)
  }

  stop() {
    cancelAnimationFrame(this.frame)
    this.frame = null
  }
}
