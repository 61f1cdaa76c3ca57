/* Levels of an axis in Steer and in tours: off, query, on, or a number of s.d. from the mean. */

export const MAX_LEVEL = 10  // s.d.

// Circles are drawn by the style sheet: as letters they are small, and differ between fonts.
export const MARKS = { on: "", off: "", query: "–" }

/** How a level is written: a mark, or a number of s.d. with its sign. */
export function markOf(level) {
  if (typeof level === "string") return MARKS[level]
  return level ? `${level > 0 ? "+" : "−"}${Math.abs(level)}` : "0"
}

/** How a level is said. */
export function sayLevel(level, from = " from the mean") {
  if (level === "query") return "as the query"
  return typeof level === "string" ? level : `${markOf(level)} s.d.${from}`
}

/** A level of z as its axis shows it, and back: where −z is shown, on and off change places. */
export function turnedLevel(level, { flipped }) {
  if (!flipped) return level
  return typeof level === "string" ? { on: "off", off: "on" }[level] || level : 0 - level
}

/** What lies where a level, as it is shown, leads: a pole of the axis; "" where nothing says so. */
export function poleOf(level, { left, right, given }) {
  if (level === "on" || level > 0) return right || given || ""
  return level === "off" || level < 0 ? left || "" : ""
}
