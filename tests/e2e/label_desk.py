"""What the browser tests of the Label page share."""


def who(made, name="Ana"):
    """A name of its own for every test: labels of the same items under another plan count too."""
    return f"{name}-{made.plan.id}"


def open_desk(page, address, made, by="Ana", **more):
    extra = "".join(f"&{name}={value}" for name, value in more.items())
    page.goto(f"{address}/label?plan={made.plan.id}&by={who(made, by)}{extra}")
    page.get_by_test_id("desk").wait_for()
    page.get_by_test_id("label-tile").first.locator("img").wait_for()
    return page


def saved(page, until):
    until(lambda: page.get_by_test_id("saved").inner_text() == "All saved", "all labels saved")


def levels(made, annotator="Ana", factor=None, kind="label"):
    """The current levels of the plan's items by position (first sights only)."""
    factor = factor or made.guideline.ids[0]
    found = {
        c.event.item: c.event.level
        for c in made.store.current(kind, annotator=who(made, annotator), factor=factor)
        if c.event.plan == made.plan.id
    }
    return [found.get(made.keys[row], ".") for row in made.plan.order]


def burst(page, keys):
    """All keys within one task of the browser: quicker than any finger."""
    page.evaluate(
        """keys => {
          for (const key of keys) window.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }))
        }""",
        list(keys),
    )


def marks(page):
    tiles = page.get_by_test_id("label-tile")
    return tiles.evaluate_all("t => t.filter(x => !x.hidden).map(x => x.dataset.mark).join('')")
