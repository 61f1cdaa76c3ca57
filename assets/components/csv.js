/* CSV made in the browser, by the rules of rivae/base/csv_text.py: what a spreadsheet would take for a
 * formula has a quote in front, numbers stay numbers.
 */

const FORMULA = /^'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** Rows of texts and numbers as one text; a line ends with a line feed. */
export function csvOf(rows) {
  return rows.map((cells) => cells.map(csvCell).join(",") + "\n").join("")
}

export function csvCell(value) {
  const text = String(value ?? "")
  const plain = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
