// Run by test_modules.py, or by hand: node --test tests/components
import assert from "node:assert/strict"
import test from "node:test"
import { fit, ordered, reasons, restLabel, shownFirst } from "../../assets/components/axis_order.js"
import { besideOf } from "../../assets/components/grid_rows.js"

const held = (above) => ({ above, verdict: above >= 0.25 ? "sure" : above >= 0.1 ? "plane" : "unsure" })
const axis = (j, effect, more = {}) => ({ j, effect, name: `z${j + 1}`, short: `z${j + 1}`, ...more })
const numbers = (axes) => axes.map(({ j }) => j)

test("the reliable axes come first, and before them what somebody added", () => {
  const axes = [axis(0, 0.9, { held: held(0.05) }), axis(1, 0.1, { held: held(0.7) }), axis(2, 0.5),
    axis(3, 0.2, { held: held(0.3) }), axis(4, 0, { id: "a1", held: held(0.2) }), axis(5, 0, { id: "a2", held: held(0.6) })]
  assert.deepEqual(numbers(ordered(axes, "reliable")), [5, 4, 1, 3, 0, 2])
  assert.deepEqual(numbers(ordered(axes, "effect")), [4, 5, 0, 2, 3, 1])
  assert.deepEqual(numbers(ordered(axes, "number")), [4, 5, 0, 1, 2, 3])
})

test("without names the discs of certainty decide, and without any the effect", () => {
  const marked = ["unsure", "sure", "plane"].map((verdict, j) => axis(j, 1 - j / 10, { mark: { verdict } }))
  assert.deepEqual(numbers(ordered(marked, "reliable")), [1, 2, 0])
  assert.deepEqual(numbers(ordered([axis(0, 0.1), axis(1, 0.4)], "reliable")), [1, 0])
})

test("at most eight are shown at first, and unclear ones only where there are few others", () => {
  const some = (clear, unclear) => Array.from({ length: clear + unclear }, (_, j) => axis(j, 0, { held: held(j < clear ? 0.5 : 0) }))
  assert.equal(shownFirst(some(20, 10), "reliable"), 8)
  assert.equal(shownFirst(some(6, 24), "reliable"), 6)
  assert.equal(shownFirst(some(1, 29), "reliable"), 4)
  assert.equal(shownFirst(some(1, 29), "number"), 8)
  assert.equal(shownFirst([axis(0, 1), axis(1, 1)], "reliable"), 8)
  assert.equal(restLabel(some(0, 22)), "22 unclear axes")
  assert.equal(restLabel(some(3, 1)), "4 more axes, 1 unclear")
  assert.equal(restLabel([axis(0, 1)]), "1 more axis")
})

test("a word finds an axis by its name, its poles, its number, and says by which words behind it", () => {
  const dessert = axis(6, 0, { name: "z7 · dessert", left: "Savory", right: "dessert", terms: ["white sugar", "sweet", "Süßes"] })
  assert.deepEqual(reasons(dessert, "savo"), [])
  assert.deepEqual(reasons(dessert, "7"), [])
  assert.deepEqual(reasons(dessert, " SWEET "), ["sweet"])
  assert.deepEqual(reasons(dessert, "suss"), ["Süßes"])
  assert.equal(reasons(dessert, "umami"), null)
  // The word itself tells more of an axis than a part of a longer one, its name most of all.
  assert.ok(fit([], "sweet") < fit(["Sweet", "cake"], " sweet "))
  assert.ok(fit(["Sweet"], "sweet") < fit(["sweet-sauces"], "sweet"))
  assert.equal(fit(null, "sweet"), Infinity)
})

test("pictures fill their rows and are never too narrow", () => {
  assert.deepEqual(besideOf(10, 880, 166, 8), Array(10).fill(5))
  assert.deepEqual(besideOf(10, 712, 166, 8), [3, 3, 3, 3, 3, 3, 4, 4, 4, 4])
  assert.deepEqual(besideOf(10, 624, 166, 8), Array(10).fill(3))
  for (let n = 1; n <= 30; n++) {
    for (let width = 340; width < 2400; width += 7) {
      const beside = besideOf(n, width, 166, 8)
      assert.equal(beside.length, n)
      for (const many of beside) assert.ok((width - (many - 1) * 8) / many >= 166, `${n} in ${width}`)
      if (beside.length <= beside[0] || n / Math.ceil(n / Math.floor((width + 8) / 174)) < 3) continue
      for (const many of new Set(beside)) assert.equal(beside.filter((one) => one === many).length % many, 0, `${n} in ${width}`)
    }
  }
})
