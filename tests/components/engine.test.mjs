// Run by test_modules.py, or by hand: node --test tests/components
import assert from "node:assert/strict"
import test from "node:test"
import { Engine, checkedQuestion, pointsOf } from "../../assets/components/engine.js"
import { here, reach } from "../../assets/components/reach.js"

const base64 = (numbers) => Buffer.from(numbers.buffer).toString("base64")
const floats = (...numbers) => base64(Float64Array.from(numbers))

/** Four points on a line, the second and the third the same; f(z) = leaky(z). */
function engine() {
  const points = {
    n: 4, m: 1, low: floats(0), step: floats(1),
    high: base64(Uint32Array.of(0, 0, 0, 0)), rest: base64(Uint16Array.of(1, 5, 5, 9)),
  }
  return new Engine({
    layers: [{ weight: floats(1), bias: floats(0) }, { name: "leaky-relu", slope: 0.2 }],
    query: { weight: floats(1), bias: floats(0) },
    points,
    density: { points: base64(Float32Array.of(0, 1)), scale: floats(2), limit: 1, far: 2.5 },
  })
}

test("the nearest come first, and the first of equal ones", () => {
  assert.deepEqual(engine().topk([5], 3), [1, 2, 0])
  assert.deepEqual(engine().topk([7], 4), [1, 2, 3, 0])
  assert.deepEqual(engine().topk([-10], 1), [0])
})

test("only what may be found is found", () => {
  assert.deepEqual(engine().topk([5], 3, Uint8Array.of(1, 0, 1, 0)), [2, 0])
  assert.deepEqual(engine().topk([5], 3, new Uint8Array(4)), [])
})

test("what Python refuses is refused", () => {
  const refused = [
    [[1], 3], [[1, 2, 3], 3], [[], 3], [[1, [2]], 3], [["1", 2], 3], ["12", 3], [[1, "a"], 3], [[1, true], 3], [[1, null], 3],
    [[1, NaN], 3], [[1, Infinity], 3], [[-Infinity, 1], 3], [[1, 1e13], 3], [[1e308, 1], 3], [[1, 2n], 3], [[1, , ], 3],
    [new BigInt64Array(2), 3], [new DataView(new ArrayBuffer(2)), 3], [{ 0: 1, 1: 2, length: 2 }, 3], [5, 3], [null, 3], [undefined, 3],
    [[1, 2], 0], [[1, 2], -1], [[1, 2], 2.5], [[1, 2], NaN], [[1, 2], Infinity], [[1, 2], "3"], [[1, 2], true], [[1, 2], null],
    [[1, 2], undefined], [[1, 2], 3n], [[1, 2], [3]],
  ]
  for (const [z, k] of refused) assert.throws(() => checkedQuestion(z, k, 2), (error) => error.message.length > 9)
  assert.deepEqual(checkedQuestion([1, -2.5], 3, 2), [[1, -2.5], 3])
  assert.deepEqual(checkedQuestion(Float32Array.of(1, 2), 1e9, 2), [[1, 2], 1e9])
})

test("nothing is found where numbers overflow", () => {
  assert.deepEqual(engine().topk([1e200], 3), [])
  assert.deepEqual(engine().topk([NaN], 3), [])
})

test("how far z is counts in standard deviations", () => {
  assert.deepEqual(engine().far([2]), { distance: 0, limit: 1, where: "inside" })
  assert.equal(engine().far([5]).where, "edge")
  assert.equal(engine().far([6.5]).where, "edge", "the limits are the ones that Python sends")
  assert.equal(engine().far([9]).where, "far")
})

test("numbers of 48 bits come back", () => {
  const kept = { n: 1, m: 2, low: floats(-1, 3), step: floats(2 ** -48, 1), high: base64(Uint32Array.of(2 ** 31, 1)), rest: base64(Uint16Array.of(0, 2)) }
  assert.deepEqual([...pointsOf(kept)], [-0.5, 3 + 65538])
})

test("a page without a server answers itself", async () => {
  here.answer = async (address) => `${address}!`
  assert.equal(await reach("items"), "items!")
  here.answer = null
})
