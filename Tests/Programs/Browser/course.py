"""Examines the console in Chromium: each view, each button, real presses, a flood, hostile names, a lost connection."""
import base64
import sys
import time
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright, expect

from outbox import look_at_outbox, look_at_served_outbox
from reading import look_at_presses, look_at_selection, look_at_stillness
from rules import check_rules
from support import Inspected, Way, check_access, check_contrast, check_sizes, chrome_imports, leave, picture, press
from trouble import look_at_trouble

program, chromium, pictures, calls = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
# Meanwhile other test programs keep the machine busy.
expect.set_options(timeout=30_000)


def details_tab(page, name):
    page.locator(f"#call-tabs-{name}").click()
    leave(page)


def close(page):
    page.locator("#call-close").click()
    leave(page)


def look_at_calls(page, inspected):
    inspected.do("get http://a.test/plain?token=secret")
    rows = page.locator("#call-list .row")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("plain?token=***")
    press(page, rows.first)
    expect(page.locator("#call-title")).to_have_text("GET http://a.test/plain?token=***")
    details_tab(page, "headers")
    expect(page.locator("#call-panel")).to_contain_text("X-Hostile")
    details_tab(page, "response")
    expect(page.locator("#call-panel pre")).to_have_text("hello")
    details_tab(page, "overview")
    press(page, page.locator("#copy-curl"))
    expect(page.locator("#message")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("curl 'http://a.test/plain?token=***'")
    page.locator("#send-again").click()
    # A call is chosen, so the new one waits.
    expect(page.locator("#calls-more")).to_have_text("1 new")
    expect(rows).to_have_count(1)
    page.locator("#calls-more").click()
    expect(rows).to_have_count(2)
    picture(page, pictures, "details")
    close(page)

    # The requests of a call are its attempts, on the same time axis; rejected responses have their bodies.
    inspected.do("get http://a.test/busy")
    press(page, page.locator("#call-list .row", has_text="busy"))
    details_tab(page, "attempts")
    attempts = page.locator("#call-panel details.attempt")
    expect(attempts).to_have_count(4)
    expect(attempts.nth(0)).to_contain_text("503")
    expect(attempts.nth(2)).to_contain_text("http://a.test/moved")
    expect(attempts.nth(3)).to_contain_text("http://a.test/there")
    details_tab(page, "timing")
    expect(page.locator("#call-panel .bars")).to_have_count(5)
    picture(page, pictures, "timing")
    page.keyboard.press("Escape")
    inspected.do("get http://a.test/rejected")
    press(page, page.locator("#call-list .row", has_text="rejected"))
    details_tab(page, "response")
    expect(page.locator("#call-panel .json")).to_contain_text("the database is full")
    details_tab(page, "attempts")
    page.locator("#call-panel details.attempt > summary").first.click()
    expect(page.locator("#call-panel .json")).to_have_count(2)
    picture(page, pictures, "attempts")
    page.keyboard.press("Escape")

    # JSON keeps its numbers, its escapes and a repeated name.
    inspected.do("get http://a.test/numbers")
    press(page, page.locator("#call-list .row", has_text="numbers"))
    details_tab(page, "response")
    for text in ['"id": 12345678901234567890', '"price": 1.10', '"name": "a"', '"name": "b"', "1e2", "-0.0", '"\\u00e9"']:
        expect(page.locator("#call-panel .json")).to_contain_text(text)
    page.locator("#call-panel .find").fill("name")
    expect(page.locator("#call-panel output")).to_have_text("1 of 2")
    page.locator("#call-panel .find").press("Enter")
    expect(page.locator("#call-panel output")).to_have_text("2 of 2")
    page.locator("#call-panel summary").nth(1).click()
    expect(page.locator("#call-panel .json", has_text="1e2").locator(".inner .inner")).to_be_hidden()
    page.get_by_role("button", name="Raw").click()
    expect(page.locator("#call-panel pre")).to_contain_text('{"id":12345678901234567890,"price":1.10')
    picture(page, pictures, "json")
    close(page)

    inspected.do("get http://a.test/image")
    press(page, page.locator("#call-list .row", has_text="image"))
    details_tab(page, "response")
    expect(page.locator("#call-panel img")).to_have_js_property("naturalWidth", 1)
    close(page)
    inspected.do("get http://a.test/binary")
    press(page, page.locator("#call-list .row", has_text="binary"))
    expect(page.locator("#call-panel pre.hex")).to_contain_text("00000040  40 41 42 43 44 45 46 47")
    picture(page, pictures, "hex")
    close(page)

    # A shared call sends nothing, and is not one from the cache.
    inspected.do("shared")
    shared = page.locator("#call-list .row", has_text="shared #")
    expect(shared).to_have_count(2)
    expect(page.locator("#call-list .row", has_text="hit")).to_have_count(0)
    press(page, shared.first)
    expect(page.locator("#call-outcome")).to_contain_text("200 OK (shared)")
    details_tab(page, "attempts")
    expect(page.locator("#call-panel")).to_contain_text("This call sent nothing: it shares the response of #")
    page.locator("#clear").click()
    leave(page)
    expect(rows).to_have_count(0)


def look_at_hostile_names(page, inspected):
    rows = page.locator("#call-list .row")
    inspected.do("hostile")
    expect(rows).to_have_count(4)
    for index in range(4):
        press(page, rows.nth(index))
        for tab in ["overview", "headers", "request", "response", "timing", "attempts"]:
            details_tab(page, tab)
            expect(page.locator("#call-title")).to_be_visible()
    close(page)
    page.locator("#view-scopes").click()
    expect(page.locator("#scope-tree > li > ul > li")).to_contain_text("<script>document.title='owned'</script>")
    picture(page, pictures, "scopes")
    page.locator("#view-calls").click()
    assert page.title() == "inspected – Errand", "a script from a call was executed"
    assert page.locator("#call-details img, #call-details script, #call-list img, #call-list script").count() == 0
    picture(page, pictures, "hostile")


def look_at_filters(page, inspected):
    rows, field = page.locator("#call-list .row"), page.locator("#filter")
    inspected.do("get http://b.test/teapot")
    for text, found in [("type:json", "json"), ("status:418", "teapot"), ("host:b.test", "b.test"), ("is:failed", "failing")]:
        field.fill(text)
        expect(page.locator("#call-list .row", has_text=found).first).to_be_visible()
        expect(page.locator("#count")).to_contain_text("of")
    field.fill("nothing-like-it")
    expect(rows).to_have_count(0)
    expect(page.locator("#calls .empty")).to_have_text("No call matches the filter.")
    field.fill("")
    inspected.do("hold 6")
    # Six calls to one origin, of which four are in transfer.
    field.fill("is:running")
    expect(rows).to_have_count(6)
    page.locator("#view-slots").click()
    expect(page.locator("#waiting-table tbody tr")).to_have_count(2)
    expect(page.locator("#waiting-table tbody tr").first).to_contain_text("userInitiated")
    # Its time advances although no event concerns it.
    waited = page.locator("#waiting-table tbody tr").first.locator("td").last
    expect(waited).not_to_have_text(waited.text_content())
    picture(page, pictures, "slots")
    page.locator("#view-calls").click()
    press(page, rows.last)
    expect(page.locator("#call-outcome")).to_contain_text("so far")
    picture(page, pictures, "running")
    page.keyboard.press("Escape")
    inspected.do("release")
    field.fill("is:cancelled")
    expect(rows).to_have_count(6)
    inspected.do("get http://a.test/slow")
    field.fill("time>1s host:a.test")
    expect(page.locator("#call-list .row", has_text="slow")).to_have_count(1)
    field.fill("host:a.test")

    # The columns sort, in both directions.
    page.get_by_role("button", name="Time", exact=True).click()
    expect(rows.first).to_contain_text("slow")
    page.get_by_role("button", name="Time", exact=True).click()
    expect(rows.last).to_contain_text("slow")
    page.get_by_role("button", name="Name").click()
    expect(page.locator("[role=columnheader][aria-sort=ascending]")).to_have_text("Name")
    page.get_by_role("button", name="Timeline").click()
    field.fill("")

    # The keyboard.
    page.locator("#call-list").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    chosen = page.locator("#call-list").get_attribute("aria-activedescendant")
    expect(page.locator(f"#{chosen}")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.locator("#call-tabs [aria-selected=true]")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.locator("#call-details")).to_be_hidden()
    expect(page.locator("#call-list")).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_have_attribute("aria-pressed", "true")
    before = rows.count()
    inspected.do("get http://a.test/while-paused")
    page.wait_for_timeout(300)
    assert rows.count() == before, "a paused page changes"
    page.keyboard.press("p")
    expect(page.locator("#call-list .row", has_text="while-paused")).to_have_count(1)
    page.keyboard.press("/")
    expect(page.locator("#filter")).to_be_focused()
    page.locator("#filter").blur()
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    picture(page, pictures, "help")
    page.keyboard.press("Escape")


# The longest time for which the page could not react, while a function works.
STUTTER = """async work => {
  let longest = 0;
  const observer = new PerformanceObserver(list => { for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration); });
  observer.observe({ entryTypes: ['longtask'] });
  const frame = () => new Promise(requestAnimationFrame);
  const scroller = document.getElementById('call-list'), filter = document.getElementById('filter');
  const type = text => { filter.value = text; filter.dispatchEvent(new Event('input')); };
  if (work === 'scroll') {
    for (let top = 0; top < scroller.scrollHeight; top += 2000) { scroller.scrollTop = top; await frame(); }
    scroller.scrollTop = 0;
  } else if (work === 'filter') for (const text of ['f', 'fl', 'flo', 'is:failed', 'time>1ms', '']) { type(text); await frame(); }
  else if (work === 'sort') {
    const heads = [...document.querySelectorAll('#call-list .sort')];
    for (const head of heads) for (let turn = 0; turn < 2; turn += 1) { head.click(); await frame(); }
    // The newest calls come first again.
    heads.at(-1).click();
    heads.at(-1).click();
    heads.at(-1).click();
  }
  for (let i = 0; i < 30; i += 1) await frame();
  observer.disconnect();
  return longest;
}"""


def look_at_a_flood(page, inspected):
    # The page contains few rows, and the last call is among them.
    rows = page.locator("#call-list .row")
    began = time.monotonic()
    inspected.do(f"flood {calls}")
    expect(rows.first).to_contain_text(str(calls - 1))
    print(f"a flood of {calls} calls is shown after {time.monotonic() - began:.1f} s")
    expect(page.locator("#count")).to_have_text(f"the last {calls:,} calls")
    assert rows.count() < 100, "the page contains more rows than the visible ones"
    for work in ["scroll", "filter", "sort"]:
        print(f"the longest stutter of {calls} calls, {work}: {page.evaluate(STUTTER, work):.0f} ms (0: none of 50 ms)")
    picture(page, pictures, "flood")


def look_at_views(page, inspected):
    inspected.do("cached")
    page.locator("#view-cache").click()
    expect(page.locator("#cache-table")).to_contain_text("http://a.test/cached")
    expect(page.locator("#decision-table")).to_contain_text("no response")
    picture(page, pictures, "cache")
    inspected.do("get http://b.test/failing")
    page.locator("#view-origins").click()
    expect(page.locator("#origin-table tr", has_text="b.test")).to_contain_text("of the last")
    picture(page, pictures, "origins")


def look_at_keys(page):
    page.locator("#view-calls").click()
    tree = page.locator("body").aria_snapshot()
    for part in ['button "Calls"', 'grid "Calls"', "row ", 'searchbox "Filter the calls"', 'columnheader "Status"']:
        assert part in tree, f"{part} is not in {tree[:3000]}"
    # Every control can be reached with the Tab key.
    reached = set()
    page.locator("body").press("Tab")
    for _ in range(50):
        reached.add(page.evaluate("document.activeElement.id"))
        page.keyboard.press("Tab")
    missing = {"view-calls", "view-outbox", "pause", "clear", "har", "save", "filter", "axis", "call-list"} - reached
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
    errors = []
    copy.on("pageerror", lambda error: errors.append(str(error)))
    copy.goto(f"file://{pictures}/calls.html")
    expect(copy.locator("#connection")).to_have_text("saved copy")
    for missing in ["pause", "clear", "har", "save", "view-slots", "view-cache", "view-outbox"]:
        expect(copy.locator(f"#{missing}")).to_be_hidden()
    copy.locator("#call-list .row").first.click()
    copy.locator("#call-tabs-attempts").click()
    expect(copy.locator("#call-panel")).to_contain_text("Attempt 1")
    assert copy.title() == "Errand"
    picture(copy, pictures, "offline")
    assert not errors, errors
    copy.close()


def look_at_a_cut(context, inspected):
    parts = urlsplit(inspected.url)
    way = Way(parts.port)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{way.own}{parts.path}")
    expect(page.locator("#connection")).to_have_text("live")
    way.cut()
    inspected.do("get http://a.test/while-away")
    expect(page.locator("#call-list .row", has_text="while-away")).to_have_count(1)
    expect(page.locator("#connection")).to_have_text("live")
    page.close()


def main():
    recorded = f"{pictures}/recorded.har"
    inspected = Inspected(program, recorded, calls)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(
            accept_downloads=True, viewport={"width": 1280, "height": 800},
            permissions=["clipboard-read", "clipboard-write"])
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        page.goto(inspected.url)
        expect(page.locator("#connection")).to_have_text("live")
        check_rules(page)
        look_at_calls(page, inspected)
        look_at_hostile_names(page, inspected)
        look_at_filters(page, inspected)
        look_at_presses(page, inspected)
        look_at_selection(page, inspected)
        look_at_stillness(page, inspected)
        look_at_a_flood(page, inspected)
        look_at_views(page, inspected)
        look_at_outbox(page, context, inspected, pictures)
        look_at_keys(page)
        check_access(page, check_contrast)
        check_sizes(page, pictures)
        look_at_files(page, context, browser, recorded)
        look_at_a_cut(context, inspected)
        assert not errors, errors
        inspected.end()
        expect(page.locator("#connection")).to_have_text("program not reachable")
        look_at_served_outbox(context, program, pictures)
        look_at_trouble(context, program, pictures)
        browser.close()
    print("the console is correct")


main()
