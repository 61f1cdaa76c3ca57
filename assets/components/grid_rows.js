/* How pictures fill the rows of a grid: none narrower than it may be, and no hole in the last row. */

const FULL = 3

/**
 * For each picture, how many are as wide together as a row. There are as few rows as fit, all full: where they
 * cannot be equal, the first rows, which hold the best matches, have one less and so larger pictures. Where that
 * would leave pictures too large to see many, all are of one size, and the last row stands in the middle.
 * @param n pictures; `width` of the grid, `least` of a picture and `gap` between two, in pixels
 */
export function besideOf(n, width, least, gap) {
  const fitting = Math.max(1, Math.floor((width + gap) / (least + gap)))
  const count = Math.ceil(n / fitting)
  if (count === 1) return Array(n).fill(Math.max(n, Math.ceil(width / (2 * least))))
  if (n / count < FULL) return Array(n).fill(fitting)
  const rows = Array.from({ length: count }, (_, i) => Math.floor((n + i) / count))
  return rows.flatMap((many) => Array(many).fill(many))
}
