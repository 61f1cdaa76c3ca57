/* What right and up mean on the map: two axes, or a layout that keeps neighbours together. */

import { placeOn } from "./added.js"
import { clamp } from "./dom.js"
import { STEPS } from "./map_points.js"

export const LAYOUT = "layout"

/** Two axes; right and up is always more of what they are named after. */
export class AxesFrame {
  /** @param axes their numbers or ids, `about` their columns by key, `dims` of all axes by number or id */
  constructor(axes, about, dims) {
    this.keys = axes.map((axis) => `axis-${axis}`)
    const shown = axes.map((axis) => dims.get(axis))
    this.parts = axes.map((axis, at) => ({ axis, dim: shown[at], ...about.get(this.keys[at]), flipped: shown[at].flipped }))
    this.poles = shown.map(({ left, right, given, short }) => ({ low: left, high: right || given || short }))
  }

  /** A column as it is shown. */
  turned(column, at) {
    return this.parts[at].flipped ? column.map((code) => STEPS - code) : column
  }

  /** A place as it is shown, in shares of both columns. */
  back(place) {
    return place.map((share, at) => (this.parts[at].flipped ? 1 - share : share))
  }

  /** Where a point z is. */
  place(z) {
    return this.back(this.parts.map(({ axis, dim, low, high }) => (placeOn(dim, axis, z) - low) / (high - low || 1)))
  }

  /** Where on both axes a place is, [[axis, value]]. */
  wanted(place) {
    const values = this.values(place.map((share) => clamp(share, -0.1, 1.1)))
    return this.parts.map(({ axis }, at) => [axis, values[at]])
  }

  /** What both columns say at a place. */
  values(place) {
    return this.back(place).map((share, at) => {
      const { low, high } = this.parts[at]
      return low + share * (high - low)
    })
  }

  /** What both axes say at a place: −z where that is shown. */
  shown(place) {
    return this.values(place).map((value, at) => (this.parts[at].flipped ? -value : value))
  }
}

/** The layout: only what is found says where a query lies. */
export class LayoutFrame {
  constructor() {
    this.keys = [`${LAYOUT}-0`, `${LAYOUT}-1`]
    this.poles = null
  }

  turned(column) {
    return column
  }

  back(place) {
    return place
  }

  /** The middle of the items found. @param lit their places */
  place(z, lit) {
    return lit.length ? [0, 1].map((at) => lit.reduce((sum, one) => sum + one[at], 0) / lit.length) : null
  }

  wanted() {
    return []
  }

  values(place) {
    return place
  }

  shown(place) {
    return place
  }
}
