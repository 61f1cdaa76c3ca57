/* Retrieval in the browser: from z to the items found, as `rivae.retrieval` does it in Python.
 *
 * h(z) and all distances are in float64, so no rounding decides an order; equal points have equal
 * distances, and the one that stands first wins.
 */

const ACTIVATIONS = {
  "leaky-relu": (slope) => (x) => (x < 0 ? slope * x : x),
  relu: () => (x) => Math.max(x, 0),
  tanh: () => Math.tanh,
}

const FARTHEST = 1e12  // as in `rivae/base/arrays.py`: beyond, rounding decides what is nearest

/**
 * A question from outside, as a plain list and a number: what Python's `Run.topk` refuses is refused.
 * @param d how many axes z has
 */
export function checkedQuestion(z, k, d) {
  const isList = Array.isArray(z) || (ArrayBuffer.isView(z) && !(z instanceof DataView))
  if (!isList) throw new TypeError(`z must be a list of ${d} numbers`)
  const numbers = Array.from(z)
  if (numbers.length !== d) throw new RangeError(`z must hold ${d} numbers, got ${numbers.length}`)
  if (!numbers.every((value) => typeof value === "number")) throw new TypeError("z must hold numbers only")
  if (!numbers.every((value) => Math.abs(value) <= FARTHEST)) {
    throw new RangeError(`z must hold finite numbers of at most ${FARTHEST.toExponential()} in size`)
  }
  if (!Number.isInteger(k) || k < 1) throw new RangeError("k must be a whole number of at least 1")
  return [numbers, k]
}

/** The bytes of a base64 text. */
export function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}

/** Little-endian numbers of a kind (a typed array's class) that Python wrote as base64. */
export function numbersOf(text, kind) {
  return new kind(bytesOf(text).buffer)
}

/** Numbers kept as 48 bits: a Uint32 and a Uint16 each, in steps of their column from its lowest. */
export function pointsOf({ n, m, low, step, high, rest }) {
  const [upper, lower] = [numbersOf(high, Uint32Array), numbersOf(rest, Uint16Array)]
  const [base, size] = [numbersOf(low, Float64Array), numbersOf(step, Float64Array)]
  return Float64Array.from({ length: n * m }, (_, i) => base[i % m] + (upper[i] * 65536 + lower[i]) * size[i % m])
}

/** x @ weight + bias. */
function affine(x, { weight, bias }) {
  const out = Float64Array.from(bias)
  const width = out.length
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < width; j++) out[j] += x[i] * weight[i * width + j]
  }
  return out
}

/** Inserts a place at its distance among the k best, all of which stand before it where they tie. */
function insert(best, k, place, distance) {
  let at = best.length
  while (at > 0 && best[at - 1][1] > distance) at--
  best.splice(at, 0, [place, distance])
  if (best.length > k) best.pop()
}

export class Engine {
  /** @param model {layers, query, points, density}, see `rivae.figures.page.model` */
  constructor({ layers, query, points, density }) {
    const read = ({ weight, bias }) => ({ weight: numbersOf(weight, Float64Array), bias: numbersOf(bias, Float64Array) })
    this.layers = layers.map((layer) => (layer.weight ? read(layer) : ACTIVATIONS[layer.name](layer.slope)))
    this.query = read(query)
    this.points = pointsOf(points)
    this.n = points.n
    this.m = points.m
    this.reference = numbersOf(density.points, Float32Array)
    this.scale = numbersOf(density.scale, Float64Array)
    this.limit = density.limit
    this.farLimit = density.far
  }

  /** The point that z asks with. */
  asked(z) {
    let x = Float64Array.from(z)
    for (const layer of this.layers) x = typeof layer === "function" ? x.map(layer) : affine(x, layer)
    return affine(x, this.query)
  }

  /** The places of the k nearest items, best first; `among` (0 and 1 each) says which may be found. */
  topk(z, k, among = null) {
    const { points, n, m } = this
    const q = this.asked(z)
    const best = []
    let worst = Infinity
    for (let i = 0; i < n; i++) {
      if (among && !among[i]) continue
      let sum = 0
      const end = (i + 1) * m
      for (let at = i * m, j = 0; at < end; at++, j++) {
        const gap = points[at] - q[j]
        sum += gap * gap
      }
      if (!(sum < worst)) continue  // no distance is left where numbers overflow
      insert(best, k, i, sum)
      if (best.length === k) worst = best[k - 1][1]
    }
    return best.map(([place]) => place)
  }

  /** How far z is from the nearest training query in s.d., and what that means. */
  far(z) {
    const { reference, scale, limit, farLimit } = this
    const d = scale.length
    let least = Infinity
    for (let at = 0; at < reference.length; at += d) {
      let sum = 0
      for (let j = 0; j < d && sum < least; j++) {
        const gap = z[j] / scale[j] - reference[at + j]
        sum += gap * gap
      }
      if (sum < least) least = sum
    }
    const distance = Math.sqrt(least)
    return { distance, limit, where: distance <= limit ? "inside" : distance <= farLimit ? "edge" : "far" }
  }
}
