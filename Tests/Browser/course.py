"""Looks at the inspector's page: each view, each button, a flood, hostile names, a connection that is lost."""
import subprocess
import sys
import time

from playwright.sync_api import sync_playwright, expect

program, chromium, pictures, calls = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
# Other programs of the tests keep the machine busy meanwhile.
expect.set_options(timeout=30_000)


class Inspected:
    """The program that is looked at."""

    def __init__(self):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split(" ", 1)[1].strip()

    def do(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().strip() == "done", command

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def picture(page, name):
    page.screenshot(path=f"{pictures}/{name}.png")


def look(page, inspected, errors):
    page.goto(inspected.url)
    expect(page.locator("#connection")).to_have_text("live")
    inspected.do("get http://a.test/plain?token=secret")
    rows = page.locator(".row")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("http://a.test/plain?token=***")
    rows.first.click()
    expect(page.locator("#details")).to_contain_text("X-Hostile")
    expect(page.locator("#details pre").last).to_have_text("hello")
    page.locator("#send-again").click()
    expect(rows).to_have_count(2)
    picture(page, "details")

    # Whatever comes from outside stays text.
    inspected.do("hostile")
    expect(rows).to_have_count(6)
    for index in range(6):
        rows.nth(index).click()
        expect(page.locator("#details h2")).to_be_visible()
    page.locator("#view-scopes").click()
    expect(page.locator("#scopes")).to_contain_text("<script>document.title='owned'</script>")
    page.locator("#view-calls").click()
    assert page.title() == "Errand", "a script of a call has run"
    picture(page, "hostile")

    # Filters and keys.
    page.locator("#filter-only").select_option("failed")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("/failing")
    page.locator("#filter-only").select_option("")
    page.locator("#filter-text").fill("json")
    expect(rows).to_have_count(1)
    page.locator("#filter-text").fill("")
    page.locator("#scroller").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("p")
    page.keyboard.press("/")
    expect(page.locator("#filter-text")).to_be_focused()
    page.locator("#filter-text").blur()

    # A flood: the rows in the page stay few, and the last call is there.
    began = time.monotonic()
    inspected.do(f"flood {calls}")
    expect(rows.first).to_contain_text(f"/flood/{calls - 1}")
    print(f"a flood of {calls} calls is shown after {time.monotonic() - began:.1f} s")
    assert rows.count() < 100, "only what can be seen is in the page"
    picture(page, "flood")

    for view in ["slots", "origins", "cache", "outbox"]:
        page.locator(f"#view-{view}").click()
        expect(page.locator(f"#{view}")).to_be_visible()
        picture(page, view)
    expect(page.locator("#view-origins")).to_be_visible()

    # The outbox and its buttons.
    inspected.do("outbox")
    expect(page.locator("#outbox-state")).to_contain_text("1 stored; paused")
    expect(page.locator("#outbox-table")).to_contain_text("<b>lane</b>")
    page.get_by_role("button", name="drop POST http://a.test/order").click()
    expect(page.locator("#outbox-table")).not_to_contain_text("/order")
    page.locator("#outbox-resume").click()
    inspected.do("dead")
    expect(page.locator("#outbox-table")).to_contain_text("dead-letter")
    picture(page, "dead-letter")
    page.locator("#outbox-pause").click()
    expect(page.locator("#outbox-state")).to_contain_text("paused")

    # Both files.
    page.locator("#view-calls").click()
    with page.expect_download() as download:
        page.locator("#har").click()
    download.value.save_as(f"{pictures}/calls.har")
    with page.expect_download() as download:
        page.locator("#save").click()
    download.value.save_as(f"{pictures}/calls.html")
    page.locator("#clear").click()
    expect(rows).to_have_count(0)
    assert not errors, errors


def look_offline(context, errors):
    page = context.new_page()
    page.goto(f"file://{pictures}/calls.html")
    expect(page.locator("#connection")).to_have_text("a copy")
    page.locator(".row").first.click()
    expect(page.locator("#details")).to_contain_text("Attempt 1")
    assert page.title() == "Errand"
    picture(page, "offline")


def main():
    inspected = Inspected()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(accept_downloads=True, viewport={"width": 1200, "height": 700})
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        look(page, inspected, errors)
        look_offline(context, errors)
        inspected.end()
        expect(page.locator("#connection")).to_have_text("connecting again")
        browser.close()
    print("the inspector's page is as it has to be")


main()
