// Run by test_modules.py, or by hand: node --test tests/components
import assert from "node:assert/strict"
import test from "node:test"
import { Desk, Places } from "../../assets/components/label_desk.js"

const SIZE = 24

function desk(rows, skips = rows.map(() => [])) {
  return new Desk({ done: rows.map((row) => row.join("")), skips, flags: [], steps: [] }, [])
}

/** Answers sheet after sheet; the factor of each, and how many answers each factor had when it began. */
function sheets(given, inTurn) {
  const walk = []
  let place = [0, 0]
  while (place) {
    const [k, at] = place
    walk.push([k, given.done.map((row) => row.filter((mark) => mark !== ".").length)])
    const end = Math.min((Math.floor(at / SIZE) + 1) * SIZE, given.done[k].length)
    for (let i = at; i < end; i++) if (given.mark(k, i) === ".") given.set(k, i, "3")
    place = given.next(k, end, SIZE, inTurn)
  }
  return walk
}

const empty = (n, factors) => Array.from({ length: factors }, () => Array(n).fill("."))

test("a plan of all items asks one question of all of them before the next one", () => {
  for (const n of [5, 24, 25, 71]) {
    const each = Math.ceil(n / SIZE)
    const walk = sheets(desk(empty(n, 3)), false).map(([k]) => k)
    assert.deepEqual(walk, [0, 1, 2].flatMap((k) => Array(each).fill(k)))
  }
})

test("a plan for numbers early asks every question before any has two sheets more than another", () => {
  for (const [n, factors] of [[35, 8], [24, 2], [100, 5], [7, 3]]) {
    const given = desk(empty(n, factors))
    for (const [, answers] of sheets(given, true)) {
      const begun = answers.map((count) => Math.ceil(count / SIZE))
      assert.ok(Math.max(...begun) - Math.min(...begun) <= 1, String(begun))
    }
    assert.ok(given.left.every((left) => left === 0), "nothing is left out")
  }
})

test("what was answered before is passed over, what was skipped comes last", () => {
  const rows = empty(50, 3)
  for (let i = 0; i < 50; i++) rows[0][i] = "2"
  for (let i = 0; i < 30; i++) rows[1][i] = "2"
  const given = desk(rows, [[], [], [1, 2]])
  assert.deepEqual(given.next(0, 24, SIZE, true), [2, 0], "it has come least far")
  assert.deepEqual(given.next(0, 24, SIZE, false), [1, 30])
  for (let i = 0; i < 50; i++) for (const k of [1, 2]) if (given.mark(k, i) === ".") given.set(k, i, "1")
  assert.equal(given.next(1, 24, SIZE, true), null)
  assert.equal(given.next(1, 24, SIZE, false), null)
})

test("a share shows some items of a plan, in an order of its own, and events name the plan's positions", () => {
  for (let round = 0; round < 50; round++) {
    const n = 5 + Math.floor(Math.random() * 60)
    const order = [...Array(n).keys()].sort(() => Math.random() - 0.5).slice(0, 1 + Math.floor(Math.random() * n))
    const places = new Places(order, n)
    const marks = Array.from({ length: n }, (_, at) => ".12o"[(at * 7 + round) % 4])
    const steps = marks.map((mark, at) => [`e${at}`, at, 0, ".", mark]).filter(([, , , , mark]) => mark === "1")
    const said = { done: [marks.join("")], skips: [[0, n - 1]], flags: [1, n - 2], steps }
    const waiting = [{ event: { id: "w", at: order[0], action: "label" }, k: 0, after: "5" },
      { event: { id: "elsewhere", at: -1, action: "label" }, k: 0, after: "5" }]
    const given = new Desk(places.standing(said), places.entries(waiting))
    assert.equal(waiting[0].event.at, order[0], "what is on its way is not changed")
    order.forEach((at, i) => {
      const skipped = [0, n - 1].includes(at) ? "s" : marks[at]
      assert.equal(given.mark(0, i), i === 0 ? "5" : skipped)
      assert.equal(given.flags.has(i), [1, n - 2].includes(at))
      assert.equal(places.of(places.at(i)), i)
    })
    assert.ok(given.steps.every(({ id, at }) => id === "w" ? at === 0 : id === `e${order[at]}`))
    const next = given.firstAsked(0, 1, order.length)
    assert.ok(next < 0 || given.mark(0, next) !== "o")
    assert.ok([...Array(next < 0 ? order.length - 1 : next - 1).keys()].every((i) => given.mark(0, i + 1) === "o"))
  }
  assert.deepEqual(new Places(null, 3).order, [0, 1, 2])
})
