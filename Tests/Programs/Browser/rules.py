"""Checks the pure rules of the console's modules: the filter, JSON, the order of rows, the time axis, hexadecimal."""

CALL = {
    "id": 7, "method": "POST", "url": "https://api.example.com:8443/v1/orders?x=1", "status": 503, "state": "failed",
    "outcome": "the server responded with 503", "type": "application/problem+json", "bytes": 20000, "began": 100,
    "end": 1400, "attempts": 3, "cache": "miss; fwd", "scopes": ["app", "cart"], "priority": "default", "purpose": "caller",
}

FILTERS = [
    ("", True), ("status:5xx", True), ("status:503", True), ("status:50", True), ("status:51", False), ("status:4xx", False),
    ("status:500-599", True), ("status>=500", True), ("status<500", False), ("host:api", True), ("host:8443", True),
    ("host:orders", False), ("-host:other", True), ("-status:5xx", False), ("method:post", True), ("method:get", False),
    ("type:json", True), ("-type:image", True), ("name:orders", True), ("is:failed", True), ("is:slow", True),
    ("is:retried", True), ("is:running", False), ("time>1s", True), ("time>1.5s", False), ("size>10kB", True),
    ("size<10kB", False), ("attempts>2", True), ("scope:cart", True), ("cache:miss", True), ("orders", True),
    ("ORDERS", True), ('"responded with"', True), ('"with responded"', False), ('-"responded with"', False),
    ("responded with", True), ('"status:5xx"', False), ("https://api", True), ("status:", True), ("status:5xx host:b", False),
    ("unknown:word", False), ("-", False), ("status:>=500", True), ("time:>1s", True), ("size:<10kB", False), ("method:po", True),
    # Words that are not understood exclude nothing.
    ("status:abc", True), ("-status:abc", True), ("time:1s", True), ("time>1sec", True), ("is:nonsense", True), ("attempts:x", True),
]

# Texts, and what is read: null for a text that is not JSON. Numbers, names and escapes stay as they came.
JSON_TEXTS = [
    ('{"id":12345678901234567890,"p":1.10,"a":1,"a":2}', '{\n  "id": 12345678901234567890,\n  "p": 1.10,\n  "a": 1,\n  "a": 2\n}', True),
    ("[1e2,-0.0,\"\\u00e9\\n\",true,null]", '[\n  1e2,\n  -0.0,\n  "\\u00e9\\n",\n  true,\n  null\n]', True),
    ("{}", "{}", True), (" [ ] ", "[]", True), ('"text"', '"text"', True), ("1.10", "1.10", True),
    ('{"a":[1,2', '{\n  "a": [\n    1\n  ]\n}', False), ('{"a":"cut', "{}", False), ('[1,"cut', "[\n  1\n]", False),
    ('[1,2,', "[\n  1,\n  2\n]", False),
    ("{,}", None, None), ("[1,]", None, None), ("{\"a\" 1}", None, None), ("01", None, None), ("[1 2]", None, None),
    ("hello", None, None), ("", None, None), ("{a:1}", None, None), ("1 2", None, None), ("[" * 2000, None, None),
]


def check_rules(page):
    def run(module, body, data=None):
        return page.evaluate("async data => { const m = await import('./" + module + ".js'); return (" + body + ")(data); }", data)

    for text, expected in FILTERS:
        found = run("filter", "([text, call]) => m.matches(m.parse(text), call, 2000)", [text, CALL])
        assert found == expected, f"the filter {text} gives {found}"
    assert run("filter", "text => m.faults(m.parse(text))", "status:abc size>1k -is:odd x time:1s") == ["status:abc", "is:odd", "time:1s"]
    assert run("filter", "call => m.cacheWord({ ...call, shares: 4, isCached: false })", CALL) == "shared #4"
    assert run("filter", "call => m.cacheWord({ ...call, shares: null, isCached: true })", CALL) == "hit"
    for text, laid_out, is_whole in JSON_TEXTS:
        found = run("json", "text => { const r = m.read(text); return r && [m.layOut(r.tree), r.isWhole]; }", text)
        expected = None if laid_out is None else [laid_out, is_whole]
        assert found == expected, f"{text[:40]}: {found}"
    hold = "state => m.isHeld({ released: false, ...state })"
    assert not run("order", hold, {})
    for name in ["pointer", "press", "selection", "chosen", "scrolled"]:
        assert run("order", hold, {name: True}), name
    for name, expected in [("pointer", False), ("scrolled", False), ("chosen", False), ("press", True), ("selection", True)]:
        assert run("order", hold, {name: True, "released": True}) == expected, name
    assert run("order", """() => { const o = new m.HeldOrder(), waits = [o.update([1, 2], false), o.update([3, 1, 4], true)];
        return [waits, o.shown, o.update([3, 1, 4], false), o.shown]; }""") == [[0, 2], [1, 2], 0, [3, 1, 4]]
    assert run("order", "() => m.visibleRange(2600, 260, 26, 105, 5)") == {"first": 95, "end": 105}
    for is_descending, expected in [(True, [3, 4, 1, 2]), (False, [4, 1, 3, 2])]:
        assert run("order", """down => m.sorted([{ id: 1, v: 2 }, { id: 2, v: null }, { id: 3, v: 5 }, { id: 4, v: 2 }],
            down, row => row.v).map(row => row.id)""", is_descending) == expected
    assert run("waterfall", "() => m.axisOf([{ began: 100, end: 150 }, { began: 120, end: null }], 420)") == {
        "from": 100, "to": 500, "tick": 100}
    assert run("waterfall", "() => [3, 40, 999].map(m.tickOf)") == [1, 10, 200]
    parts = run("waterfall", """() => m.segments({ end: 300, spans: [{ step: 'queue', begin: 100, end: 200 },
        { step: 'first byte', begin: 200 }] }, { from: 100, to: 300 }, 0)""")
    assert [(part["group"], part["left"], part["width"]) for part in parts] == [("wait", 0, 0.5), ("first", 0.5, 0.5)], parts
    lines = run("hex", "() => m.hexLines(Uint8Array.from([72, 105, 0, 255, ...Array(14).fill(65)]))")
    assert lines == ["00000000  48 69 00 ff 41 41 41 41  41 41 41 41 41 41 41 41  Hi··AAAAAAAAAAAA",
                     "00000010  41 41" + " " * 45 + "AA"], lines
    assert run("format", "() => [0.4, 42, 999.6, 65_000, 149_000, 750_000, 7_200_000].map(m.duration)") == [
        "0.4 ms", "42 ms", "1.00 s", "65.0 s", "149 s", "12.5 min", "2 h"]
    assert run("format", "() => m.nameOf('http://a.test/b/c?d=1')") == "c?d=1"
