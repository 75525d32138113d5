"""Shared by the tests in a browser: the inspected program, a relay to it that can be cut, and Chrome's importer."""
import os
import socket
import subprocess
import threading


class Inspected:
    """The inspected program."""

    def __init__(self, program, har, calls, mode=""):
        self.process = subprocess.Popen(
            [program, har, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "INSPECTED_CALLS": str(max(1000, calls))})
        self.url = self.process.stdout.readline().split(" ", 1)[1].strip()

    def begin(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def finish(self):
        line = self.process.stdout.readline().strip()
        assert line == "done", line

    def do(self, command):
        self.begin(command)
        self.finish()

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def press(page, locator):
    """Presses the mouse as long as people do."""
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(90)
    page.mouse.up()
    leave(page)


def leave(page):
    """Moves the pointer away from the list, which then shows the rows that waited."""
    page.mouse.move(5, 5)


def picture(page, folder, name):
    page.screenshot(path=f"{folder}/{name}.png")
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=f"{folder}/{name}-dark.png")
    page.emulate_media(color_scheme="light")


SIZES = [(390, 844), (768, 1024), (1280, 800), (2560, 1440)]
VIEWS = ["calls", "outbox", "origins", "scopes", "slots", "cache"]


def check_sizes(page, folder):
    """Each view fits the width of a telephone and of a large screen, with its buttons."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for view in VIEWS:
            page.locator(f"#view-{view}").click()
            page.wait_for_timeout(200)
            outside = page.evaluate("""() => [...document.querySelectorAll('main:not([hidden]) button, main:not([hidden]) input')]
                .filter(node => node.checkVisibility() && !node.closest('[role=tablist], .list')).filter(node => {
                  const box = node.getBoundingClientRect();
                  return box.left < 0 || box.right > innerWidth + 1;
                }).map(node => node.id || node.textContent)""")
            assert not outside, f"{outside} is outside of a page of {width} pixels"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{view} is wider than {width} pixels"
            picture(page, folder, f"{view}-{width}")
        page.locator("#view-calls").click()
        page.locator("#call-list .row").first.click()
        page.wait_for_timeout(200)
        picture(page, folder, f"details-{width}")
        page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 800})


def check_access(page, contrast):
    """The rules of axe, and the contrast of every text, in each view."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        Axe = None
        print("axe-playwright-python is not installed: only the contrast is checked")
    for view in VIEWS + ["details"]:
        page.locator("#view-calls" if view == "details" else f"#view-{view}").click()
        if view == "details":
            page.locator("#call-list .row").first.click()
        page.wait_for_timeout(300)
        contrast(page, view)
        if Axe is None:
            continue
        for scheme in ["light", "dark"]:
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page).response["violations"]
            texts = [f"{item['id']}: {item['help']}: {[node['html'][:200] for node in item['nodes'][:3]]}" for item in found]
            assert not texts, f"{view}, {scheme}: " + "\n".join(texts)
        page.emulate_media(color_scheme="light")
    page.keyboard.press("Escape")


class Way:
    """A relay to a server that can be cut: it passes bytes on, and keeps the server's own name in them."""

    def __init__(self, port):
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.own = self.listener.getsockname()[1]
        self.sockets = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(("127.0.0.1", self.port))
            self.sockets += [near, far]
            threading.Thread(target=self.copy, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self.copy, args=(far, near, False), daemon=True).start()

    def copy(self, source, target, names):
        try:
            while data := source.recv(65536):
                if names:
                    data = data.replace(b"127.0.0.1:%d" % self.own, b"127.0.0.1:%d" % self.port)
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        sockets, self.sockets = self.sockets, []
        for end in sockets:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


# The colours of every visible text, with the ratio of their luminances (WCAG 2.2, 1.4.3).
CONTRASTS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = color => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const back = node => {
    for (; node; node = node.parentElement) {
      const color = rgb(getComputedStyle(node).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    if (!own && !node.matches('input, select')) continue;
    if (!node.checkVisibility() || node.matches('script, option')) continue;
    const [a, b] = [luminance(rgb(getComputedStyle(node).color)), luminance(back(node))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.tagName + '.' + node.className + ' '
      + node.textContent.trim().slice(0, 30)]);
  }
  return found;
}"""


def check_contrast(page, where):
    for scheme in ["light", "dark"]:
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(CONTRASTS)
        assert len(found) > 10, "the page shows too few texts"
        low = [entry for entry in found if entry[0] < 4.5]
        assert not low, f"{where}, {scheme}: {low}"
    page.emulate_media(color_scheme="light")


# Chrome's developer tools are pages, whose modules can be imported.
IMPORT = """async text => {
  const har = await import('devtools://devtools/bundled/models/har/har.js');
  const root = new har.HARFormat.HARRoot(JSON.parse(text));
  return Promise.all(har.Importer.Importer.requestsFromHARLog(root.log).map(async request => {
    const content = await request.requestContentData();
    return {
      method: request.requestMethod, url: request.url(), status: request.statusCode,
      // Chrome refuses to return a binary body as text.
      isText: content.isTextContent, body: content.isTextContent ? content.text : content.base64,
      duration: request.duration, cached: request.cached(), priority: request.priority(), timing: request.timing,
    };
  }));
}"""


def chrome_imports(browser, path):
    page = browser.new_page()
    page.goto("devtools://devtools/bundled/devtools_app.html")
    with open(path, encoding="utf-8") as file:
        requests = page.evaluate(IMPORT, file.read())
    page.close()
    for request in requests:
        assert request["duration"] >= 0 and request["method"] and request["url"], request
    return requests
