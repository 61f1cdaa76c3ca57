/* When a video shows what, and how large it is. */
import assert from "node:assert/strict"
import { test } from "node:test"

import { videoFrames, videoSize } from "../../assets/components/path_video.js"

const picture = (naturalWidth, naturalHeight) => ({ naturalWidth, naturalHeight })

test("a video is as large as its largest picture, within bounds, and even", () => {
  assert.deepEqual(videoSize([picture(901, 600), picture(500, 777)]), [902, 778])
  assert.deepEqual(videoSize([picture(128, 128)]), [720, 720])
  assert.deepEqual(videoSize([picture(4000, 1000), picture(10, 10)]), [1080, 270])
  for (const size of [videoSize([picture(3, 1000)]), videoSize([picture(1, 1)])]) {
    assert.ok(size.every((side) => side >= 2 && side % 2 === 0))
  }
})

test("frames follow each other without a gap, and equal pictures do not fade", () => {
  const [a, b] = [{}, {}]
  const shots = [a, a, b, b, b, a].map((img, n) => ({ img, ms: 150 + 100 * n }))
  const frames = videoFrames(shots)
  let at = 0
  for (const frame of frames) {
    assert.ok(Math.abs(frame.at - at) < 1e-6 && frame.ms > 0)
    at = frame.at + frame.ms
  }
  const shown = shots.reduce((sum, { ms }) => sum + ms, 0)
  assert.ok(at > shown)
  assert.equal(frames[0].share, 1)
  const fades = new Set(frames.filter(({ share }) => share < 1).map(({ shot }) => shot))
  assert.deepEqual([...fades], [2, 5])
  const second = frames.find(({ shot, share }) => shot === 2 && share === 1)
  assert.equal(second.at + second.ms, 150 + 250 + 350 + 450 + 550)
  assert.deepEqual(videoFrames([{ img: a, ms: 500 }]).map(({ share }) => share), [1, 1])
})
