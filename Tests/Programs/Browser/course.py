"""Examines the inspector's page: each view, each button, a flood, hostile names, a lost connection."""
import base64
import sys
import time
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright, expect

from support import Inspected, Way, check_contrast, chrome_imports

program, chromium, pictures, calls = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
# Meanwhile other test programs keep the machine busy.
expect.set_options(timeout=30_000)


def picture(page, name):
    page.screenshot(path=f"{pictures}/{name}.png")
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=f"{pictures}/{name}-dark.png")
    page.emulate_media(color_scheme="light")


def look_at_calls(page, inspected):
    inspected.do("get http://a.test/plain?token=secret")
    rows = page.locator(".row")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("http://a.test/plain?token=***")
    rows.first.click()
    expect(page.locator("#details")).to_contain_text("X-Hostile")
    expect(page.locator("#details pre").last).to_have_text("hello")
    page.locator("#copy-curl").click()
    expect(page.locator("#message")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").startswith("curl 'http://a.test/plain?token=***'")
    page.locator("#send-again").click()
    expect(rows).to_have_count(2)
    picture(page, "details")

    # Each request of a call with several requests is a line below it, on the same scale.
    inspected.do("get http://a.test/busy")
    expect(rows).to_have_count(3)
    lines = page.locator(".attempt")
    expect(lines).to_have_count(4)
    expect(lines.nth(0)).to_contain_text("503")
    expect(lines.nth(2)).to_contain_text("http://a.test/moved")
    expect(lines.nth(3)).to_contain_text("http://a.test/there")
    picture(page, "attempts")

    # JSON is formatted, and an image is shown.
    inspected.do("get http://a.test/image")
    expect(rows).to_have_count(4)
    rows.first.click()
    expect(page.locator("#details img")).to_have_js_property("naturalWidth", 1)
    page.locator("#clear").click()
    expect(rows).to_have_count(0)


def look_at_hostile_names(page, inspected):
    rows = page.locator(".row")
    inspected.do("hostile")
    expect(rows).to_have_count(4)
    for index in range(4):
        rows.nth(index).click()
        expect(page.locator("#details h2")).to_be_visible()
    page.locator(".row", has_text="json").first.click()
    expect(page.locator("#details pre").last).to_contain_text('  "a": [')
    page.locator("#view-scopes").click()
    expect(page.locator("#scope-tree > li > ul > li")).to_contain_text("<script>document.title='owned'</script>")
    picture(page, "scopes")
    page.locator("#view-calls").click()
    assert page.title() == "Errand", "a script from a call was executed"
    assert page.locator("#details img, #details script, #rows img, #rows script").count() == 0
    picture(page, "hostile")


def look_at_filters(page, inspected):
    rows = page.locator(".row")
    for field, value, text in [
        ("text", "json", "json"), ("status", "418", "/teapot"), ("host", "b.test", "b.test"),
        ("method", "get", "/"),
    ]:
        if field == "status":
            inspected.do("get http://b.test/teapot")
        page.locator(f"#filter-{field}").fill(value)
        expect(rows.first).to_contain_text(text)
        page.locator(f"#filter-{field}").fill("nothing like it")
        expect(rows).to_have_count(0)
        page.locator(f"#filter-{field}").fill("")
    inspected.do("hold 6")
    # Six calls to one origin, of which four are in transfer.
    page.locator("#filter-only").select_option("running")
    expect(rows).to_have_count(6)
    page.locator("#view-slots").click()
    expect(page.locator("#waiting-table tr")).to_have_count(3)
    expect(page.locator("#waiting-table tr").nth(1)).to_contain_text("userInitiated")
    # Its time advances although no event concerns it.
    waited = page.locator("#waiting-table tr").nth(1).locator("td").last
    expect(waited).not_to_have_text(waited.text_content())
    picture(page, "slots")
    page.locator("#view-calls").click()
    rows.last.click()
    expect(page.locator("#details")).to_contain_text("so far")
    picture(page, "running")
    page.keyboard.press("Escape")
    inspected.do("release")
    page.locator("#filter-only").select_option("cancelled")
    expect(rows).to_have_count(6)
    inspected.do("get http://a.test/slow")
    page.locator("#filter-only").select_option("slow")
    expect(page.locator(".row", has_text="/slow")).to_have_count(1)
    page.locator("#filter-only").select_option("failed")
    expect(page.locator(".row", has_text="/failing")).to_have_count(1)
    page.locator("#filter-only").select_option("")
    # The calls to c.test were held while the page showed them.
    page.locator("#filter-host").fill("a.test")
    page.locator("#sort").select_option("time")
    expect(rows.first).to_contain_text("/slow")
    page.locator("#filter-host").fill("")
    page.locator("#sort").select_option("url")
    expect(rows.first).to_contain_text("onmouseover")
    page.locator("#sort").select_option("id")

    # The keyboard.
    page.locator("#scroller").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    chosen = page.locator("#scroller").get_attribute("aria-activedescendant")
    expect(page.locator(f"#{chosen}")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_have_attribute("aria-pressed", "true")
    before = rows.count()
    inspected.do("get http://a.test/while-paused")
    page.wait_for_timeout(300)
    assert rows.count() == before, "a paused page changes"
    page.keyboard.press("p")
    expect(page.locator(".row", has_text="/while-paused")).to_have_count(1)
    page.keyboard.press("/")
    expect(page.locator("#filter-text")).to_be_focused()
    page.locator("#filter-text").blur()


def look_at_a_flood(page, inspected):
    # The page contains few rows, and the last call is among them.
    rows = page.locator(".row")
    began = time.monotonic()
    inspected.do(f"flood {calls}")
    expect(rows.first).to_contain_text(f"/flood/{calls - 1}")
    print(f"a flood of {calls} calls is shown after {time.monotonic() - began:.1f} s")
    expect(page.locator("#count")).to_have_text("1000 of 1000 calls")
    assert rows.count() < 100, "the page contains more rows than the visible ones"
    # No frame takes longer than a tenth of a second while the page scrolls through all rows.
    slowest = page.evaluate("""async () => {
      const scroller = document.getElementById('scroller');
      let slowest = 0, last = performance.now();
      for (let top = 0; top < scroller.scrollHeight; top += 600) {
        scroller.scrollTop = top;
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        [slowest, last] = [Math.max(slowest, now - last), now];
      }
      scroller.scrollTop = 0;
      return slowest;
    }""")
    print(f"the slowest frame while scrolling takes {slowest:.0f} ms")
    picture(page, "flood")


def look_at_views(page, inspected):
    inspected.do("cached")
    page.locator("#view-cache").click()
    expect(page.locator("#cache-table")).to_contain_text("http://a.test/cached")
    expect(page.locator("#decision-table")).to_contain_text("no response")
    picture(page, "cache")
    inspected.do("get http://b.test/failing")
    page.locator("#view-origins").click()
    expect(page.locator("#origin-table tr", has_text="b.test")).to_contain_text("1 of the last")
    picture(page, "origins")

    # The outbox and its buttons.
    page.locator("#view-outbox").click()
    inspected.do("outbox")
    expect(page.locator("#outbox-state")).to_contain_text("1 stored; paused")
    expect(page.locator("#outbox-table")).to_contain_text("<b>lane</b>")
    expect(page.locator("#lane-table")).to_contain_text("POST http://a.test/order")
    page.get_by_role("button", name="pause the lane <b>lane</b>").click()
    expect(page.get_by_role("button", name="resume the lane <b>lane</b>")).to_be_visible()
    page.get_by_role("button", name="resume the lane <b>lane</b>").click()
    expect(page.get_by_role("button", name="pause the lane <b>lane</b>")).to_be_visible()
    expect(page.get_by_role("img", name="Waiting: 1")).to_be_visible()
    picture(page, "outbox")
    page.get_by_role("button", name="drop POST http://a.test/order").click()
    expect(page.locator("#outbox-table")).not_to_contain_text("/order")
    page.locator("#outbox-resume").click()
    inspected.do("dead")
    expect(page.locator("#outbox-table")).to_contain_text("dead-letter")
    expect(page.locator("#outbox-table")).to_contain_text("400")
    picture(page, "dead-letter")
    page.get_by_role("button", name="retry POST http://a.test/refused").click()
    # The request is sent once more, and is refused again.
    page.locator("#view-calls").click()
    expect(page.locator(".row", has_text="/refused")).to_have_count(2)
    page.locator("#view-outbox").click()
    expect(page.locator("#outbox-table")).to_contain_text("dead-letter")
    page.locator("#outbox-pause").click()
    expect(page.locator("#outbox-state")).to_contain_text("paused")


def look_at_access(page):
    views = ["calls", "scopes", "slots", "origins", "cache", "outbox"]
    for view in views:
        page.locator(f"#view-{view}").click()
        check_contrast(page, view)
    page.locator("#view-calls").click()
    page.locator(".row").first.click()
    expect(page.locator("#details h2")).to_be_visible()
    picture(page, "chosen")
    check_contrast(page, "details")
    tree = page.locator("body").aria_snapshot()
    for part in ['button "Calls" [pressed]', 'grid "Calls"', "row ", 'textbox "Host"', 'region "Details"']:
        assert part in tree, f"{part} is not in {tree[:3000]}"
    # Every control can be reached with the Tab key, and each has a name.
    reached = set()
    page.locator("body").press("Tab")
    for _ in range(40):
        reached.add(page.evaluate("document.activeElement.id"))
        page.keyboard.press("Tab")
    missing = {"view-calls", "pause", "clear", "har", "save", "filter-text", "sort", "scroller"} - reached
    assert not missing, f"the keyboard does not reach {missing}"


def look_at_files(page, context, browser, recorded):
    page.locator("#view-calls").click()
    with page.expect_download() as download:
        page.locator("#har").click()
    download.value.save_as(f"{pictures}/calls.har")
    with page.expect_download() as download:
        page.locator("#save").click()
    download.value.save_as(f"{pictures}/calls.html")
    shown = chrome_imports(browser, f"{pictures}/calls.har")
    assert len(shown) >= min(calls, 1000), len(shown)
    all_calls = chrome_imports(browser, recorded)
    busy = [request for request in all_calls if request["url"].startswith("http://a.test/busy")]
    assert [request["status"] for request in busy] == [503, 302], busy
    assert any(request["cached"] for request in all_calls)
    plain = next(request for request in all_calls if request["url"] == "http://a.test/plain?token=***")
    assert plain["body"] == "hello" and plain["priority"] == "Medium", plain
    image = next(request for request in all_calls if request["url"] == "http://a.test/image")
    assert not image["isText"] and base64.b64decode(image["body"]).startswith(b"\x89PNG"), image
    print(f"Chrome imports {len(all_calls)} entries of a recorder, and {len(shown)} of the page")

    copy = context.new_page()
    copy.goto(f"file://{pictures}/calls.html")
    expect(copy.locator("#connection")).to_have_text("saved copy")
    for missing in ["pause", "clear", "har", "save", "view-slots", "view-cache", "view-outbox"]:
        expect(copy.locator(f"#{missing}")).to_be_hidden()
    copy.locator(".row").first.click()
    expect(copy.locator("#details")).to_contain_text("Attempt 1")
    assert copy.title() == "Errand"
    picture(copy, "offline")
    copy.close()


def look_at_a_cut(context, inspected):
    parts = urlsplit(inspected.url)
    way = Way(parts.port)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{way.own}{parts.path}")
    expect(page.locator("#connection")).to_have_text("live")
    way.cut()
    inspected.do("get http://a.test/while-away")
    expect(page.locator(".row", has_text="/while-away")).to_have_count(1)
    expect(page.locator("#connection")).to_have_text("live")
    page.close()


def main():
    recorded = f"{pictures}/recorded.har"
    inspected = Inspected(program, recorded)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(
            accept_downloads=True, viewport={"width": 1200, "height": 700},
            permissions=["clipboard-read", "clipboard-write"])
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        page.goto(inspected.url)
        expect(page.locator("#connection")).to_have_text("live")
        look_at_calls(page, inspected)
        look_at_hostile_names(page, inspected)
        look_at_filters(page, inspected)
        look_at_a_flood(page, inspected)
        look_at_views(page, inspected)
        look_at_access(page)
        look_at_files(page, context, browser, recorded)
        look_at_a_cut(context, inspected)
        page.locator("#clear").click()
        expect(page.locator(".row")).to_have_count(0)
        assert not errors, errors
        inspected.end()
        expect(page.locator("#connection")).to_have_text("reconnecting")
        browser.close()
    print("the inspector's page is correct")


main()
