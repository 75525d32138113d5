import Foundation
import Testing

@testable import ErrandCore

@Suite struct PublicKeyPinsTests {
  private static let first = "sha256/" + Data(repeating: 1, count: 32).base64EncodedString()
  private static let second = "sha256/" + Data(repeating: 2, count: 32).base64EncodedString()

  private func keys(_ pins: [String: [String]], _ host: String) throws -> [String] {
    try PublicKeyPins(pins).keys(of: host).map(\.description).sorted()
  }

  @Test(arguments: [
    ("api.example.com", true), ("API.Example.COM", true), ("api.example.com.", true),
    ("api.example.com..", true), ("example.com", false), ("a.api.example.com", false),
    ("api.example.co", false),
    ("xapi.example.com", false), ("", false), (".", false),
  ])
  func `a name pins only that host, in any case and with or without the final dot`(
    _ host: String, _ isPinned: Bool
  ) throws {
    #expect(try keys(["api.example.com": [Self.first]], host) == (isPinned ? [Self.first] : []))
    #expect(try keys(["API.example.com.": [Self.first]], host) == (isPinned ? [Self.first] : []))
  }

  @Test(arguments: [
    ("api.example.com", true), ("API.EXAMPLE.com.", true), ("x.example.com", true), ("example.com", false),
    ("a.b.example.com", false), (".example.com", false), ("example.com.evil.test", false),
    ("xexample.com", false),
  ])
  func `a wildcard matches exactly one label`(_ host: String, _ isPinned: Bool) throws {
    #expect(try keys(["*.example.com": [Self.first]], host) == (isPinned ? [Self.first] : []))
  }

  @Test func `a host may have the keys of every name that matches it`() throws {
    let pins = ["a.example.com": [Self.first], "*.example.com": [Self.second]]
    #expect(try keys(pins, "a.example.com") == [Self.first, Self.second])
    #expect(try keys(pins, "b.example.com") == [Self.second])
    #expect(try keys(["*": [Self.first], "b.test": [Self.second]], "c.test") == [Self.first])
    #expect(try keys(["*": [Self.first]], "[::1]") == [Self.first])
  }

  @Test func `an international name matches its A-labels`() throws {
    #expect(try keys(["M\u{FC}ller.test": [Self.first]], "xn--mller-kva.test") == [Self.first])
    #expect(try keys(["*.m\u{FC}ller.test": [Self.first]], "a.xn--mller-kva.test") == [Self.first])
  }

  @Test func `an address matches in the system's notation`() throws {
    #expect(try keys(["::1": [Self.first]], "[::1]") == [Self.first])
    #expect(try keys(["[::1]": [Self.first]], "[::1]") == [Self.first])
    #expect(try keys(["127.0.0.1": [Self.first]], "127.0.0.1") == [Self.first])
  }

  @Test(arguments: [
    "", ".", "*.", "**", "**.example.com", "*example.com", "a.*.com", "*.*.com", "a..b", "https://a.test",
    "a.test:443",
    "a.test/x", "a test", "a@b", "m%C3%BCller.test", "\u{2615}.test", "0:0:0:0:0:0:0:1", "::01", "127.1",
    "0x7f.1",
    "127.0.0.01", "1", "*.0.0.1", "*.::1", "[::1", "a\0b", "1.2.3.4.5", "256.1.1.1", "fe80::1%eth0", "a\r\nb",
  ])
  func `a name that no host can match is refused, because the host would not be pinned`(_ name: String) {
    let error = #expect(throws: TLSProblem.self) { try PublicKeyPins([name: [Self.first]]) }
    #expect(error?.description.contains("is not a host") == true)
  }

  @Test(arguments: [
    "", "sha256/", "sha256/AAAA", "sha1/AQEBAQEBAQEBAQEBAQEBAQEBAQE=",
    "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
    "sha256/47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
    "SHA256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "sha256///47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "sha256/ümlaut",
    "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;",
    " sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
  ])
  func `a malformed pin is refused`(_ pin: String) {
    let error = #expect(throws: TLSProblem.self) { try PublicKeyPins(["a.test": [Self.first, pin]]) }
    #expect(error?.description.contains("is not sha256/") == true)
  }

  @Test func `an empty list of pins is refused`() {
    #expect(throws: TLSProblem.self) { try PublicKeyPins(["a.test": []]) }
  }

  @Test func `a digest that begins with a slash is distinguished from curl's second pin`() throws {
    let digest = Data([0xFF] + [UInt8](repeating: 7, count: 31)).base64EncodedString()
    #expect(digest.hasPrefix("/"))
    let pin = try #require(PublicKeyPin("sha256/\(digest)"))
    #expect(pin.description == "sha256/\(digest)")
    #expect(PublicKeyPin("sha256//\(digest)") == pin)
  }

  @Test func `a mismatch error names the host and its actual key`() throws {
    let keys = try PublicKeyPins(["a.test": [Self.first]]).keys(of: "a.test")
    #expect(
      keys.mismatch(at: "a.test", seen: PublicKeyPin(Self.second))
        == "the public key of a.test is \(Self.second), not the one that is pinned for it")
    #expect(
      keys.mismatch(at: "a.test", seen: nil)
        == "the public key of a.test is not the one that is pinned for it")
  }
}
