/* In which order axes stand, which of them are shown at first, and which ones a word finds. */

import { folded } from "./dom.js"

export const ORDERS = { reliable: "Reliable first", effect: "Most effective first", number: "By number" }
const MOST = 8  // are shown at first
const FEWEST = 4  // though unclear
const MAX_REASONS = 3
const OF_VERDICT = { sure: 0.5, plane: 0.2, unsure: 0 }  // as far above chance as such a score would be

/** How far an axis lies above chance; -1 where nothing says so. */
const above = ({ held, mark }) => (held ? held.above : mark ? OF_VERDICT[mark.verdict] : -1)

const verdict = ({ held, mark }) => (held || mark)?.verdict

/**
 * Axes in order. What somebody asked for comes first.
 * @param axes [{j, id?, effect, held, mark}]; `held` {above, verdict} of a name, `mark` {verdict} without one
 */
export function ordered(axes, order) {
  const by = {
    reliable: (a, b) => above(b) - above(a) || b.effect - a.effect || a.j - b.j,
    effect: (a, b) => b.effect - a.effect || a.j - b.j,
    number: (a, b) => a.j - b.j,
  }[order]
  return [...axes].sort((a, b) => Boolean(b.id) - Boolean(a.id) || by(a, b))
}

/** How many of the axes in order are shown at first. */
export function shownFirst(axes, order) {
  const clear = axes.filter((axis) => verdict(axis) && verdict(axis) !== "unsure").length
  const some = order === "reliable" && axes.some(verdict) ? Math.max(FEWEST, clear) : MOST
  return Math.min(MOST, some)
}

/** What stands on the button of the axes that are not shown at first. */
export function restLabel(axes) {
  const unclear = axes.filter((axis) => verdict(axis) === "unsure").length
  const noun = axes.length === 1 ? "axis" : "axes"
  if (unclear === axes.length) return `${unclear} unclear ${noun}`
  return `${axes.length} more ${noun}${unclear ? `, ${unclear} unclear` : ""}`
}

/** Why a word finds an axis: the matching words behind its name, [] where its name says it; null where it does not. */
export function reasons({ name, short, left = "", right = "", terms = [] }, word) {
  const wanted = folded(word.trim())
  const has = (text) => folded(text).includes(wanted)
  if (!wanted || [name, left, right].some(has) || short.replace(/^\D+/, "") === wanted) return []
  const found = terms.filter(has)
  return found.length ? found.slice(0, MAX_REASONS) : null
}

/** How well such reasons fit, the least best: the axis' own name, the word itself behind it, a part of one. */
export function fit(why, word) {
  if (!why) return Infinity
  if (!why.length) return 0
  return why.some((term) => folded(term) === folded(word.trim())) ? 1 : 2
}
