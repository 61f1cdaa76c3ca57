/* Pictures in the place of the map's dots where few are in sight: which of them there is room for. */

const MAX_PICTURES = 150  // in sight: more are dots
const PICTURE_SIDES = [72, 56, 44]  // pixels, from few to many
const PICTURES_ZOOM = 1.9

/**
 * Points whose pictures cover neither one another nor what is `taken`.
 * @param chosen of each point 0 or 1, null for all: others stay dots; `taken` [{x, y, side}], squares by their middles
 * @returns {side, shown: [{x, y, side, i}]}: pixels of their middles
 */
export function roomFor(points, chosen, taken) {
  const seen = points.view.k > PICTURES_ZOOM ? points.inView() : []
  if (seen.length > MAX_PICTURES) return { side: 0, shown: [] }
  const side = PICTURE_SIDES[Math.floor((PICTURE_SIDES.length * seen.length) / (MAX_PICTURES + 1))]
  const squares = [...taken]
  const shown = []
  for (const i of seen.sort((a, b) => a - b)) {
    const [x, y] = points.screen(points.at(i))
    const isFree = (other) => Math.max(Math.abs(x - other.x), Math.abs(y - other.y)) >= (side + other.side) / 2 + 2
    if ((chosen && !chosen[i]) || !squares.every(isFree)) continue
    shown.push({ x, y, side, i })
    squares.push(shown[shown.length - 1])
  }
  return { side, shown }
}
