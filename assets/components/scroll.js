// Scrolls to the element of a widget key, once. The page stays where it was scrolled when its
// content changes, so without that element (yet) it goes to the top.
const scrolled = new WeakSet();
const SETTLES_MS = 3000; // what stands above may be drawn later, and push the element out of sight

export default function ({ data, parentElement }) {
  if (scrolled.has(parentElement)) return;
  scrolled.add(parentElement);
  document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  let tries = 50; // for some seconds: the element is drawn later than this
  let settled = 0;
  const leave = new AbortController();
  for (const own of ["wheel", "pointerdown", "keydown"]) {
    addEventListener(own, () => leave.abort(), { signal: leave.signal, capture: true });
  }
  const look = () => {
    const element = document.querySelector(`.st-key-${CSS.escape(data.key)}`);
    if (element) {
      element.scrollIntoView({ block: "nearest" });
      settled ||= performance.now() + SETTLES_MS;
    }
    const goesOn = element ? performance.now() < settled : --tries;
    if (goesOn && !leave.signal.aborted) setTimeout(look, 100);
    else leave.abort();
  };
  look();
}
