"""Real presses, text selection and stillness of the list of calls, while calls come in."""
import random

from playwright.sync_api import expect

# The row under a point, by its key, and its place.
UNDER = """([x, y]) => {
  const row = document.elementFromPoint(x, y)?.closest('.row');
  return row && { key: row.dataset.key, top: row.getBoundingClientRect().top };
}"""


def middle(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def look_at_presses(page, inspected):
    """A press of 60 to 150 ms chooses the row that is under it, however many calls come in."""
    chosen = 0
    inspected.begin("trickle 60")
    generator = random.Random(7)
    for _ in range(45):
        rows = page.locator("#call-list .row")
        x, y = middle(rows.nth(generator.randrange(min(8, rows.count()))).bounding_box())
        page.mouse.move(x, y)
        page.mouse.down()
        under = page.evaluate(UNDER, [x, y])
        page.wait_for_timeout(generator.randrange(60, 151))
        page.mouse.up()
        expect(page.locator("#call-details")).to_be_visible()
        if under and page.locator("#call-list").get_attribute("aria-activedescendant") == "call-list-" + under["key"]:
            chosen += 1
        page.keyboard.press("Escape")
        page.mouse.move(5, 5)
    inspected.finish()
    print(f"{chosen} of 45 presses choose their row")
    assert chosen == 45


def look_at_selection(page, inspected):
    """Text in a row, and in the details, stays selected while calls come in."""
    box = page.locator("#call-list .row .c-name").nth(1).bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    selected = page.evaluate("getSelection().toString()")
    assert selected, "no text can be selected"
    page.mouse.move(5, 5)
    inspected.do("trickle 10")
    page.wait_for_timeout(300)
    assert page.evaluate("getSelection().toString()") == selected, "a selection is lost"
    expect(page.locator("#call-details")).to_be_hidden()
    page.evaluate("getSelection().removeAllRanges()")


def look_at_stillness(page, inspected):
    """Nothing under the pointer moves: new calls wait behind a button, and a click shows them."""
    rows, more = page.locator("#call-list .row"), page.locator("#calls-more")
    for _ in range(2):
        point = middle(rows.nth(3).bounding_box())
        page.mouse.move(*point)
        before = page.evaluate(UNDER, point)
        inspected.do("trickle 12")
        expect(more).to_have_text("12 new")
        assert page.evaluate(UNDER, point) == before, "a row under the pointer has moved"
        page.mouse.move(5, 5)
        expect(more).to_be_hidden()
    # The same holds for a reader who has scrolled.
    page.locator("#call-list").evaluate("list => { list.scrollTop = 60; }")
    first = page.evaluate(UNDER, [300, 400])
    inspected.do("trickle 5")
    expect(more).to_have_text("5 new")
    assert page.evaluate(UNDER, [300, 400]) == first, "a list that was scrolled has moved"
    more.click()
    expect(more).to_be_hidden()
    assert page.locator("#call-list").evaluate("list => list.scrollTop") == 0
    page.mouse.move(5, 5)
    # A window of another size keeps the list.
    page.set_viewport_size({"width": 700, "height": 500})
    expect(rows.first).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(rows.first).to_be_visible()
