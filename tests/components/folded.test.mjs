// Run by test_modules.py, or by hand: node --test tests/components
import assert from "node:assert/strict"
import test from "node:test"
import { folded } from "../../assets/components/dom.js"

test("a search does without case and without the marks that people leave out", () => {
  assert.equal(folded("Crème BRÛLÉE"), "creme brulee")
  assert.equal(folded("Straße"), folded("STRASSE"))
  assert.equal(folded("Ёжик λόγος"), folded("ежик ΛΟΓΟΣ"))
  assert.equal(folded("שָׁלוֹם"), "שלום")
})

test("marks that make another word stay", () => {
  for (const [one, other] of [["आलू", "आल"], ["バター", "ハター"], ["ข้าว", "ขาว"]]) {
    assert.equal(folded(one).normalize("NFC"), one)
    assert.notEqual(folded(one), folded(other))
  }
  assert.equal(folded("물".normalize("NFD")), "물")
})
