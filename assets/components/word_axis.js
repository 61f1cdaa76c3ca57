/* An axis from words of the items that the browser holds, as `rivae.exploring.axes.directions` finds it:
 * the regression of "has the words" on z, in coordinates in which z is white. Moving along it adds the mean
 * change of z that goes with the reading.
 */

import { folded } from "./dom.js"

const FOLDS = 5
const DRAWS = 200
const READS_TO = 10  // where the central 99 % of the items end on an axis
const FEW = 5
const COMMON = 0.95
const MAX_LINE = 300
const LEAST_OWN = 0.02  // share of an axis's own variance that others must leave to it

/** The words of a line that count. */
export const wordsOf = (line) => folded(line).match(/[\p{L}\p{N}\p{M}]{2,}/gu) || []

/** How many letters differ between two words, at most `most` + 1. */
export function letters(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]
}

/** The words of the items that are spelled like one, the likest first. @param texts folded */
function near(word, texts) {
  const known = new Set(texts.flatMap(wordsOf))
  const most = Math.max(2, Math.floor(word.length / 3))
  return [...known].map((one) => [letters(word, one, most), one]).filter(([n]) => n <= most)
    .sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1)).slice(0, 4).map(([, one]) => one)
}

/** Which texts have one of the words of a line, 1 and 0; throws one sentence where that tells nothing. */
export function having(line, texts) {
  if (line.length > MAX_LINE) throw new Error(`An end of an axis is one line of 1 to ${MAX_LINE} characters: shorten it.`)
  const words = wordsOf(line)
  if (!words.length) throw new Error("Type at least one word of the items' texts.")
  const sets = texts.map((text) => new Set(wordsOf(text)))
  const forms = words.flatMap((word) => [word, `${word}s`, `${word}es`, word.replace(/(es|s)$/, "")])
  const has = sets.map((set) => Number(forms.some((form) => set.has(form))))
  const n = has.reduce((sum, one) => sum + one, 0)
  if (!n) {
    const others = near(words[0], texts)
    throw new Error(`“${words[0].slice(0, 40)}” occurs in none of the texts: ${others.length ? `try ${others.join(", ")}` : "choose words that you see below the pictures"}.`)
  }
  if (n < FEW) throw new Error(`Only ${n} items have “${line.slice(0, 40)}”: choose words that at least ${FEW} have.`)
  if (n > COMMON * texts.length) throw new Error(`“${line.slice(0, 40)}” occurs in nearly all texts and tells none from another: choose a word that only some have.`)
  return has
}

/** x with a x = b, for a symmetric positive matrix of rows. */
export function solve(a, b) {
  const rows = a.map((row, i) => [...row, b[i]])
  const n = b.length
  for (let i = 0; i < n; i++) {
    let best = i
    for (let j = i + 1; j < n; j++) if (Math.abs(rows[j][i]) > Math.abs(rows[best][i])) best = j
    ;[rows[i], rows[best]] = [rows[best], rows[i]]
    for (let j = i + 1; j < n; j++) {
      const by = rows[j][i] / rows[i][i]
      for (let k = i; k <= n; k++) rows[j][k] -= by * rows[i][k]
    }
  }
  const x = Array(n).fill(0)
  for (let i = n - 1; i >= 0; i--) {
    x[i] = (rows[i][n] - rows[i].slice(i + 1, n).reduce((sum, v, k) => sum + v * x[i + 1 + k], 0)) / rows[i][i]
  }
  return x
}

const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length

function correlation(x, y) {
  const [a, b] = [mean(x), mean(y)]
  let [xy, xx, yy] = [0, 0, 0]
  x.forEach((v, i) => {
    xy += (v - a) * (y[i] - b)
    xx += (v - a) ** 2
    yy += (y[i] - b) ** 2
  })
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0
}

/**
 * What z changes by along an axis that leaves the readings of others, as `moves_alone` in Python; null where they
 * say all that it says.
 * @param z rows; `reads` of the axis and `others`, those of the others
 */
export function aloneOf(z, reads, others) {
  const { covariance } = regression(z, z.map((row) => scalar(row, reads)))
  const carry = (vector) => covariance.map((row) => scalar(row, vector))
  const carried = others.map(carry)
  const gram = carried.map((one, i) => others.map((other, j) => scalar(one, other) * (i === j ? 1 + 1e-9 : 1)))
  const shares = others.length ? solve(gram, carried.map((one) => scalar(one, reads))) : []
  const left = reads.map((v, j) => v - others.reduce((sum, other, i) => sum + shares[i] * other[j], 0))
  const moves = carry(left)
  const own = scalar(left, moves)
  const share = own / scalar(reads, carry(reads))
  return share >= LEAST_OWN && Number.isFinite(share) ? moves.map((v) => v / own) : null
}

/** The covariance of z (rows) as rows, and what `reads` the levels: the regression on white z. */
function regression(z, levels) {
  const d = z[0].length
  const centre = Array.from({ length: d }, (_, j) => mean(z.map((row) => row[j])))
  const level = mean(levels)
  const covariance = Array.from({ length: d }, () => Array(d).fill(0))
  const along = Array(d).fill(0)
  z.forEach((row, i) => {
    const gaps = row.map((v, j) => v - centre[j])
    gaps.forEach((gap, j) => {
      along[j] += (gap * (levels[i] - level)) / z.length
      for (let k = 0; k < d; k++) covariance[j][k] += (gap * gaps[k]) / z.length
    })
  })
  const trace = covariance.reduce((sum, row, j) => sum + row[j], 0)
  covariance.forEach((row, j) => (row[j] += 1e-9 * trace))
  return { covariance, reads: solve(covariance, along) }
}

const scalar = (a, b) => a.reduce((sum, v, j) => sum + v * b[j], 0)
const quantile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.round(share * (sorted.length - 1))]
}

/** Numbers from 0 to 1 that are the same each time. */
function draws(seed = 1) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * The direction that follows levels of the items, with its score on items that it was not fitted to.
 * @param z rows of d numbers; `levels` one for each
 * @returns {reads, offset, moves, mean, std, score, chance}
 */
export function directionOf(z, levels) {
  const { covariance, reads: weights } = regression(z, levels)
  const raw = z.map((row) => scalar(row, weights))
  const [low, high] = [quantile(raw, 0.005), quantile(raw, 0.995)]
  if (!(high - low > 0) || !Number.isFinite(high - low)) throw new Error("z says nothing about these words: ask for another axis.")
  const scale = (2 * READS_TO) / (high - low)
  const carried = covariance.map((row) => scalar(row, weights))
  const spread = scalar(weights, carried)
  const reads = weights.map((w) => w * scale)
  const offset = (-scale * (low + high)) / 2
  const places = raw.map((v) => v * scale + offset)
  const centre = mean(places)
  const held = Array(z.length)
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = z.map((_, i) => i).filter((i) => i % FOLDS !== fold)
    const fitted = regression(others.map((i) => z[i]), others.map((i) => levels[i])).reads
    for (let i = fold; i < z.length; i += FOLDS) held[i] = scalar(z[i], fitted)
  }
  const random = draws()
  const chances = Array.from({ length: DRAWS }, () => {
    const shuffled = [...levels]
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1))
      ;[shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]]
    }
    return Math.abs(correlation(held, shuffled))
  })
  return {
    reads, offset, moves: carried.map((v) => v / spread / scale), mean: centre,
    std: Math.sqrt(mean(places.map((v) => (v - centre) ** 2))),
    score: correlation(held, levels), chance: quantile(chances, 0.95),
  }
}

/**
 * An axis from a line of words for its high end, or one for each end; throws one sentence where there is none.
 * @param texts folded, one for each row of z; `id` of the axis
 */
export function axisOfWords(z, texts, id, high, low = "") {
  if (low.trim() && wordsOf(high).sort().join(" ") === wordsOf(low).sort().join(" ")) {
    throw new Error("The two ends of the axis are equal: say what lies at the other end.")
  }
  const has = having(high, texts)
  const not = low.trim() ? having(low, texts) : null
  const direction = directionOf(z, has.map((one, i) => one - (not ? not[i] : 0)))
  const given = high.trim()
  const about = `score ${direction.score.toFixed(2)} on items that it was not fitted to, chance ${direction.chance.toFixed(2)}`
  return {
    id, short: id, name: `${id} · ${given}`, given, suggested: false, left: low.trim(), right: given, flipped: false,
    about, effect: 0, alone: null, ...direction,
  }
}
