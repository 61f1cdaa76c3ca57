// Run by test_modules.py, or by hand: node --test tests/components
import assert from "node:assert/strict"
import test from "node:test"
import { Added, placeOn } from "../../assets/components/added.js"
import { aloneOf, axisOfWords, directionOf, having, letters, solve } from "../../assets/components/word_axis.js"

globalThis.document = { createElement: () => ({ setAttribute() {}, append() {} }) }

const close = (a, b, within = 1e-9) => a.forEach((v, i) => assert.ok(Math.abs(v - b[i]) <= within, `${v} is not ${b[i]}`))
const AXES = [
  { id: "a1", reads: [1, 0, 0.5], offset: 2, moves: [0.8, 0.3, 0.4], alone: [1, 0, 0] },
  { id: "a2", reads: [0, 1, 0], offset: 0, moves: [0, 1, 0], alone: null },
]

function added(amounts = {}, z = [0, 0, 0]) {
  const one = new Added(undefined)
  one.adopt(AXES, amounts, z, false)
  return one
}

test("an axis moves z along its direction, to the place that is asked for", () => {
  const one = added()
  assert.deepEqual(one.places([0, 0, 0]), [2, 0])
  const z = one.move(0, 3)
  close(z, [0.8, 0.3, 0.4])
  assert.deepEqual(one.places(z), [3, 0.3])
  assert.deepEqual(one.moved(), { a1: 1 })
})

test("a long drag does not drift, and what a slider of z adds stays", () => {
  const one = added({}, [0.1234, -0.5, 1])
  for (let i = 0; i < 500; i++) one.move(0, Math.sin(i) * 9)
  const z = one.move(0, 4)
  const amount = one.moved().a1
  close(z, [0.1234 + amount * 0.8, -0.5 + amount * 0.3, 1 + amount * 0.4], 5.1e-5)
  one.keep([7, z[1], z[2]])
  close(one.move(1, 0), [7, 0, z[2]], 2e-4)
  one.forget([1, 2, 3])
  assert.deepEqual(one.moved(), {})
})

test("only this: the other readings stay, the amounts as well, and an axis without anything of its own is stuck", () => {
  const one = added()
  one.only.checked = true
  close(one.move(0, 5), [3, 0, 0])
  assert.deepEqual(one.moved(), {})
  assert.deepEqual(one.stuck.map(Boolean), [false, true])
})

const random = (() => {
  let state = 7
  return () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32 - 0.5
})()
const Z = Array.from({ length: 400 }, () => {
  const [a, b] = [random(), random()]
  return [a, b + 0.5 * a, random()]
})

test("levels that z has are found again, with a score; moving by one reads one more", () => {
  const levels = Z.map(([a, b]) => 2 * a - b)
  const { reads, offset, moves, score, chance } = directionOf(Z, levels)
  close([reads[1] / reads[0], reads[2] / reads[0]], [-0.5, 0], 1e-6)
  close([reads.reduce((sum, v, j) => sum + v * moves[j], 0)], [1])
  const places = Z.map((row) => row.reduce((sum, v, j) => sum + v * reads[j], offset)).sort((a, b) => a - b)
  close([places[2], places[397]], [-10, 10], 1e-6)
  assert.ok(score > 0.99 && chance < 0.2)
  const unknown = directionOf(Z, Z.map(() => Number(random() > 0)))
  assert.ok(Math.abs(unknown.score) < 0.2)
  const noise = aloneOf(Z, reads, [[0, 0, 1]])
  close([noise[2], noise.reduce((sum, v, j) => sum + v * reads[j], 0)], [0, 1], 1e-6)
  assert.equal(aloneOf(Z, reads, [reads]), null)
})

test("a system of equations is solved", () => {
  close(solve([[4, 1], [1, 3]], [1, 2]), [1 / 11, 7 / 11])
})

test("words make an axis, plurals count, and what cannot be asked is one sentence", () => {
  const texts = Z.map(([a]) => (a > 0.1 ? "soups of leek" : a < -0.1 ? "crème cake" : "plain thing"))
  const axis = axisOfWords(Z, texts, "w1", "soup", "cake")
  assert.ok(axis.score > 0.7 && axis.left === "cake" && axis.right === "soup")
  assert.equal(having("Soup, xyzzy", texts).reduce((a, b) => a + b, 0), texts.filter((t) => t.includes("soup")).length)
  const says = (high, low, what) => assert.throws(() => axisOfWords(Z, texts, "w1", high, low), what)
  says("", "", /at least one word/)
  says("soop", "", /soop.*soups/)
  says("xyzzyxyzzy", "", /none of the texts/)
  says("cake, soup", "soup cake", /equal/)
  says("a".repeat(301), "", /300/)
  assert.throws(() => having("thing", texts.map(() => "thing")), /nearly all/)
  assert.throws(() => having("soups", ["soups", ...Array(50).fill("x thing")]), /Only 1/)
  assert.equal(axisOfWords(Z, texts, "w1", "<b>soup</b>").given, "<b>soup</b>")
  assert.equal(letters("kitten", "sitting", 3), 3)
})

test("two axes go to a place together, whichever they are; one alone where both are the same", () => {
  for (let i = 0; i < 60; i++) {
    const d = 4
    const draw = () => Array.from({ length: d }, random)
    const axes = ["a1", "a2"].map((id) => {
      const [reads, moves, alone] = [draw(), draw(), draw()]
      const by = (step) => step.map((v) => v / reads.reduce((sum, x, j) => sum + x * step[j], 0))
      return { id, reads, offset: random(), moves: by(moves), alone: by(alone) }
    })
    const one = new Added(undefined)
    let values = draw()
    one.adopt(axes, { a2: random() }, values, i % 2 === 0)
    const dims = new Map([...values.map((_, j) => [j, {}]), ...axes.map((axis, k) => [d + k, axis])])
    const pair = [[i % d, random()], [d + (i % 2), random()]]
    if (i % 3 === 0) pair[0] = [d + 1 - (i % 2), random()]
    const turns = one.inTurn(pair)
    if (turns.length < 2) continue
    for (const [j, to] of turns) {
      if (j < d) {
        values = values.map((v, k) => (k === j ? to : v))
        one.keep(values)
      } else values = one.move(j - d, to)
    }
    const size = 1 + Math.max(...values.map(Math.abs))
    for (const [j, to] of pair) close([placeOn(dims.get(j), j, values)], [to], 1e-3 * size)
  }
  const twin = added()
  twin.adopt([AXES[0], { ...AXES[0], id: "a3" }], {}, [0, 0, 0], false)
  assert.deepEqual(twin.inTurn([[3, 1], [4, 2]]), [[3, 1]])
  assert.deepEqual(twin.inTurn([[0, 1], [2, 2]]), [[0, 1], [2, 2]])
})
