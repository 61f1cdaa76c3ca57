// Scrolls to the element of a widget key, once. The page stays where it was scrolled when its
// content changes, so without that element (yet) it goes to the top.
const scrolled = new WeakSet();

export default function ({ data, parentElement }) {
  if (scrolled.has(parentElement)) return;
  scrolled.add(parentElement);
  document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  let tries = 50; // for some seconds: the element is drawn later than this
  const look = () => {
    const element = document.querySelector(`.st-key-${CSS.escape(data.key)}`);
    if (element) element.scrollIntoView({ block: "nearest" });
    else if (--tries) setTimeout(look, 100);
  };
  look();
}
