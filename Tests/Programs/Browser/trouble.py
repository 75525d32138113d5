"""The console when people press twice, programs stop, and rows come while others are read."""
import os
import signal

from playwright.sync_api import expect

from outbox import answer, rows_of
from support import Inspected, press


def look_at_trouble(context, program, pictures):
    inspected = Inspected(program, f"{pictures}/trouble.har", 10, "served")
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(inspected.url)
    rows, pending = rows_of(page), page.locator(".pending")
    expect(page.locator("#program")).to_have_text("inspected")
    inspected.do("fill 40")
    expect(page.locator("#outbox-states-stored")).to_have_text("Waiting 41")
    expect(rows.nth(5)).to_be_visible()
    page.locator("#outbox-text").fill("orders/7")
    expect(rows).to_have_count(1)

    # The view is in the URL, so a reload shows it again.
    page.reload()
    expect(page.locator("#outbox-text")).to_have_value("orders/7")
    expect(rows).to_have_count(1)
    page.locator("#outbox-text").fill("")
    expect(rows.nth(5)).to_be_visible()

    # Two presses ask once, and an undone change stays undone when it is undone twice.
    page.locator("#all-drop").dblclick()
    answer(page, "Drop 41 requests?")
    expect(pending).to_have_count(1)
    page.get_by_role("button", name="Undo").dblclick()
    expect(pending).to_have_count(0)
    expect(page.locator("#message")).to_have_text("Undone: nothing was changed.")

    # A change names the requests that were counted, and not those that come later.
    page.locator("#all-drop").click()
    page.wait_for_timeout(5)
    expect(page.locator("#question-title")).to_have_text("Drop 41 requests?")
    inspected.do("fill 3")
    page.locator("#question-yes").click()
    page.get_by_role("button", name="Drop now").click()
    expect(page.locator("#outbox-states-stored")).to_have_text("Waiting 3")
    expect(pending).to_have_count(0)

    # The page's box selects the rows on the screen.
    page.mouse.move(5, 5)
    expect(rows).to_have_count(3)
    press(page, rows.first)
    expect(page.locator("#outbox-details")).to_be_visible()
    inspected.do("fill 5")
    expect(page.locator("#outbox-more")).to_have_text("5 new")
    page.locator("#pick-all").check()
    expect(page.locator("#picked-count")).to_have_text("3 requests selected")
    page.locator("#picked-none").click()

    # The opposite change of the same request is refused until the first one is undone.
    page.locator("#outbox-panel").get_by_role("button", name="Drop…").click()
    page.locator("#question-yes").click()
    expect(pending).to_have_count(1)
    page.locator("#outbox-panel").get_by_role("button", name="Retry…").click()
    page.locator("#question-yes").click()
    expect(page.locator("#message")).to_have_text("another change of these requests waits: undo it first")
    page.locator("#outbox-close").click()
    page.keyboard.press("u")
    expect(pending).to_have_count(0)

    # Zoomed to 200 %, the rows can be reached.
    page.set_viewport_size({"width": 640, "height": 360})
    rows.first.scroll_into_view_if_needed()
    expect(rows.first).to_be_in_viewport(ratio=0.9)
    page.set_viewport_size({"width": 1280, "height": 800})

    # A hidden page takes no connection, and catches up when it is seen again.
    hide = "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });" \
           " document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(hide, True)
    page.wait_for_timeout(3500)
    inspected.do("fill 2")
    page.wait_for_timeout(1500)
    expect(page.locator("#outbox-states-stored")).to_have_text("Waiting 8")
    page.evaluate(hide, False)
    expect(page.locator("#outbox-states-stored")).to_have_text("Waiting 10")

    # The page distinguishes a stopped program from one that works, and from one that has ended.
    os.kill(inspected.process.pid, signal.SIGSTOP)
    expect(page.locator("#connection")).to_contain_text("no answer for")
    expect(page.locator("#outbox-health")).to_contain_text("What is shown is from")
    os.kill(inspected.process.pid, signal.SIGCONT)
    expect(page.locator("#connection")).to_have_text("live")
    expect(page.locator("#outbox-health")).to_contain_text("Delivery is paused")
    inspected.end()
    expect(page.locator("#outbox-health")).to_contain_text("Program not reachable. What is shown is from")
    page.close()
    assert not errors, errors
