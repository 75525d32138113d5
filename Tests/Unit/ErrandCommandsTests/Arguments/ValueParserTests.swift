import ErrandCore
import Testing

@testable import ErrandCommands

@Suite struct ValueParserTests {
  @Test(arguments: [
    ("localhost:8080/x", "http://"), ("LOCALHOST", "http://"), ("a.localhost/x", "http://"),
    ("127.0.0.1:80?a=http://b", "http://"), ("127.1.2.3/x", "http://"), ("127.1:80/x", "http://"),
    ("b\u{FC}cher.example", "https://"), ("127.0.0.1.evil.test/x", "https://"),
    ("127.evil.test", "https://"), ("127.0.0.256", "https://"), ("[::1]:8080/x", "http://"),
    ("example.com/x", "https://"),
    ("example.com:8443", "https://"), ("localhost.example.com", "https://"), ("[::2]/x", "https://"),
    ("localhost:8080@example.com/x", "https://"), ("127.0.0.1:1@example.com", "https://"),
    ("[::1]@example.com", "https://"), ("127.0.0.+1", "https://"), ("[::1]", "http://"),
    ("localhost/@x", "http://"), ("localhost?a=@", "http://"), ("[::1].example.com", "https://"),
    ("http://example.com", ""), ("HTTPS://example.com", ""), ("mailto:a@b", ""), ("/path", ""), ("?a", ""),
    ("", ""), ("./x", ""), (":80", "http://localhost"), ("localhost:", ""),
  ])
  func `a URL without a scheme uses http for this machine, and https for any other`(
    _ text: String, _ scheme: String
  ) {
    #expect(ValueParser.url(text) == scheme + text)
  }

  @Test(arguments: [
    ("10s", 10_000), ("500ms", 500), ("1.5s", 1500), ("2m", 120_000), ("1h", 3_600_000), ("3", 3000),
    (".5", 500),
  ])
  func `durations have units`(_ text: String, _ milliseconds: Int64) throws {
    #expect(try ValueParser.duration(text, for: .timeout) == .milliseconds(milliseconds))
  }

  @Test(arguments: [
    "", "s", "-1s", "10x", "1e3s", "inf", "nan", "0", "0s", "0x1p3", "1.2.3s", "10 s", "99999999h",
  ])
  func `an invalid duration is refused`(_ text: String) {
    #expect(throws: UsageError.self) { try ValueParser.duration(text, for: .timeout) }
  }

  @Test func `header fields have a name, a colon and a value`() throws {
    #expect(try ValueParser.field("A:  b c ") == HTTPFields.Field("A", "b c"))
    #expect(try ValueParser.field("A:") == HTTPFields.Field("A", ""))
    #expect(try ValueParser.field("A;") == HTTPFields.Field("A", ""))
    #expect(try ValueParser.field("A: b:c") == HTTPFields.Field("A", "b:c"))
  }

  @Test(arguments: ["A", ": b", "A B: c", "A: b\r\nC: d", "A: b\nc", ""])
  func `an invalid header field is refused`(_ text: String) {
    #expect(throws: UsageError.self) { try ValueParser.field(text) }
  }

  @Test(arguments: ["a:443:127.0.0.1", "a:443:::1", "a:443:[::1]"])
  func `addresses may be IPv4 or IPv6`(_ text: String) throws {
    let override = try ValueParser.override(text)
    #expect(override.host == "a" && override.port == 443)
    #expect(["127.0.0.1", "::1"].contains(override.address))
  }

  @Test(arguments: [
    "a", "a:443", "a:x:1.2.3.4", "a:0:1.2.3.4", "a:70000:1.2.3.4", ":1:1.2.3.4", "a:443:b.c", "a:443:",
  ])
  func `an invalid override is refused`(_ text: String) {
    #expect(throws: UsageError.self) { try ValueParser.override(text) }
  }

  @Test func `a pin is a digest in base64, for one host or for all hosts`() throws {
    let digest = String(repeating: "A", count: 43) + "="
    let pin = NameAndValue(name: "*", value: "sha256/\(digest)")
    for text in [digest, "sha256/\(digest)", "sha256//\(digest)"] {
      #expect(try ValueParser.pin(text) == pin)
    }
    for host in ["api.example.com", "*.example.com", "::1"] {
      #expect(try ValueParser.pin("\(host)=sha256/\(digest)") == NameAndValue(name: host, value: pin.value))
      #expect(try ValueParser.pin("\(host)=sha256//\(digest)") == NameAndValue(name: host, value: pin.value))
    }
  }

  @Test(arguments: [
    "", "AAAA", "not base64", "a.test=sha256/AAAA", "=sha256/HASH", "https://a.test=sha256/HASH",
    "a.test:443=sha256/HASH", "a.test=HASH", "a.test=sha1/HASH", "*.*.test=sha256/HASH",
  ])
  func `an invalid pin is refused`(_ text: String) {
    let digest = String(repeating: "A", count: 43) + "="
    #expect(throws: UsageError.self) { try ValueParser.pin(text.replacing("HASH", with: digest)) }
  }

  @Test(
    arguments: [
      ("me.pem", "me.pem", nil), ("me.p12:s3cret", "me.p12", "s3cret"), ("a:b:c", "a", "b:c"),
      ("a:", "a", ""),
      ("C\\:a:b", "C:a", "b"), ("a\\\\:b", "a\\", "b"), ("a\\b", "a\\b", nil), ("a\\", "a\\", nil),
      ("", "", nil),
      ("ä:ö", "ä", "ö"), (":b", "", "b"),
    ] as [(String, String, String?)])
  func `a file and its password are split at the first colon`(
    _ text: String, _ file: String, _ password: String?
  ) {
    let (found, word) = ValueParser.fileAndPassword(text)
    #expect(found == file && word == password)
  }

  @Test func `a user and a password are split at the first colon`() throws {
    #expect(try ValueParser.userAndPassword("a:b:c") == ("a", "b:c"))
    #expect(try ValueParser.userAndPassword("a:") == ("a", ""))
    for text in ["a", "", ":b"] {
      #expect(throws: UsageError.self) { try ValueParser.userAndPassword(text) }
    }
  }

  @Test func `a TLS version is 1.2 or 1.3`() throws {
    #expect(try ValueParser.tlsVersion("1.2") == .tls12)
    #expect(try ValueParser.tlsVersion("1.3") == .tls13)
    for text in ["1.1", "1", "13", "TLS 1.3", "", "1.4"] {
      #expect(throws: UsageError.self) { try ValueParser.tlsVersion(text) }
    }
  }

  @Test func `a proxy is a URL or none`() throws {
    #expect(try ValueParser.proxy("none") == "none")
    #expect(try ValueParser.proxy("proxy:3128") == "proxy:3128")
    #expect(throws: UsageError.self) { try ValueParser.proxy("ftp://a") }
    #expect(throws: UsageError.self) { try ValueParser.proxy("") }
  }
}
