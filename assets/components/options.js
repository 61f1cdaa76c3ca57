/* Options below a field of text: which of them Enter takes. */

/** Marks the option number `at`, counted round; returns its number, -1 without options. */
export function markOption(input, options, at) {
  const marked = options.length ? (at + options.length) % options.length : -1
  options.forEach((node, i) => node.setAttribute("aria-selected", String(i === marked)))
  if (marked < 0) {
    input.removeAttribute("aria-activedescendant")
    return marked
  }
  input.setAttribute("aria-activedescendant", options[marked].id)
  options[marked].scrollIntoView({ block: "nearest" })
  return marked
}
