/* From one step of a tour to the next. */
import assert from "node:assert/strict"
import { test } from "node:test"

import { eased, glidePlace } from "../../assets/components/tour_glide.js"
import { TourAnswers } from "../../assets/components/tour_answers.js"

test("a glide begins and ends slowly, and never goes back", () => {
  assert.deepEqual([eased(0), eased(0.5), eased(1)], [0, 0.5, 1])
  const shares = Array.from({ length: 101 }, (_, n) => eased(n / 100))
  const steps = shares.slice(1).map((share, n) => share - shares[n])
  assert.ok(steps.every((step) => step > 0) && steps[0] < steps[50] && steps[99] < steps[50])
})

test("places go from the start to the end, and levels with them", () => {
  const ends = [[1, -2], [-1, 0]]
  assert.deepEqual(glidePlace(0, 11, ends), { place: 0, levels: [1, -2] })
  assert.deepEqual(glidePlace(1, 11, ends), { place: 12, levels: [-1, 0] })
  assert.deepEqual(glidePlace(0.5, 11, ends), { place: 6, levels: [0, -1] })
})

test("there is a way between neighbours within a run, forwards and back", () => {
  const answers = new TourAnswers({}, () => true)
  const step = (run, levels) => ({ run, query: 1, asks: "first", axes: [0], levels, n_sigma: 2 })
  answers.adopt({ steps: [step("a", ["on"]), step("a", ["off"]), step("b", ["on"])], url: "" }, true)
  assert.deepEqual(answers.partWithWay(1).since, { query: 1, axes: [0], levels: ["on"], n_sigma: 2 })
  assert.equal(answers.partWithWay(0).since, undefined)
  assert.equal(answers.partWithWay(2).since, undefined)
  answers.found.set(0, { items: [], side: 1, at: [2] })
  answers.found.set(1, { items: [], side: 1, at: [-2], way: { ids: [[1], [2]], items: {}, from: [2], back: [-2] } })
  answers.found.set(2, { items: [], side: 1, at: [2] })
  assert.deepEqual(answers.way(0, 1), { ids: [[1], [2]], items: {}, side: 1, ends: [[2], [-2]] })
  assert.deepEqual(answers.way(1, 0), { ids: [[2], [1]], items: {}, side: 1, ends: [[-2], [2]] })
  assert.equal(answers.way(1, 2), null)
  assert.equal(answers.way(0, 2), null)
  assert.deepEqual(answers.found.get(1).way.ids, [[1], [2]])
})
