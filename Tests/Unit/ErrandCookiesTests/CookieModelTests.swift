import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

/// Random requests and responses, compared with the cookies that were set.
@Suite struct CookieModelTests {
  /// One `Set-Cookie` field; its value is its number.
  private struct Event {
    let host: String
    let isHTTPS: Bool
    let defaultPath: String
    let domain: String?
    let path: String?
    let isSecure: Bool
    let end: Date?
    let isSameSiteNone: Bool

    var line: String {
      var line = ""
      if let domain { line += "; Domain=\(domain)" }
      if let path { line += "; Path=\(path)" }
      if isSecure { line += "; Secure" }
      if isSameSiteNone { line += "; SameSite=None" }
      return line
    }
  }

  private static let hosts = [
    "a.com", "x.a.com", "y.x.a.com", "b.com", "xa.com", "s.co.uk", "t.co.uk", "co.uk", "u.github.io",
    "localhost",
    "127.0.0.1", "1.2.3.4", "a.com.",
  ]
  private static let domains = hosts + ["com", ".a.com", "github.io", "2.3.4", "", "A.COM", "om"]
  private static let paths = ["/", "/p", "/p/", "/p/q", "/pq", "/p/q/r"]
  private static let suffixes = ["com", "co.uk", "github.io", "localhost", "om", "io", "uk"]

  private static func isThisMachine(_ host: String) -> Bool { ["localhost", "127.0.0.1"].contains(host) }

  /// Returns true if a cookie of the event may be sent there, decided by another implementation than the
  /// jar's.
  private static func maySend(_ event: Event, to host: String, _ path: String, isHTTPS: Bool, at now: Date)
    -> Bool
  {
    if event.isSecure, !isHTTPS, !isThisMachine(host) { return false }
    if event.isSecure, !event.isHTTPS, !isThisMachine(event.host) { return false }
    if event.isSameSiteNone, !event.isSecure { return false }
    if let end = event.end, end <= now { return false }
    let domain = event.domain.map { $0.lowercased().trimmingPrefix(".") }.map(String.init) ?? ""
    if domain.isEmpty || (domain == event.host && suffixes.contains(domain)) {
      if host != event.host { return false }
    } else {
      let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
      for host in [host, event.host] where host != domain {
        let own = host.split(separator: ".", omittingEmptySubsequences: false)
        if own.last?.allSatisfy(\.isNumber) ?? true || own.suffix(labels.count) != labels[...] {
          return false
        }
      }
      if suffixes.contains(domain) { return false }
    }
    let own = (event.path ?? event.defaultPath).split(separator: "/")
    let all = path.split(separator: "/")
    if own != Array(all.prefix(own.count)) { return false }
    // `/p/` does not match `/p`.
    return !(event.path ?? "").hasSuffix("/") || own.count < all.count || path.hasSuffix("/")
  }

  @Test(.computesLong, arguments: 0..<25)
  func `a cookie is sent only where it was set for, and the limits hold`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var visit = CookieVisit(perDomain: 6, total: 20)
    var events: [Event] = []
    for _ in 0..<400 {
      let (host, path) = (
        Self.hosts.randomElement(using: &random) ?? "", Self.paths.randomElement(using: &random) ?? ""
      )
      let isHTTPS = Bool.random(using: &random)
      let url = "\(isHTTPS ? "https" : "http")://\(host)\(path)"
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let secure = visit.jar.entries.filter(\.cookie.isSecure)
        let lifetime: TimeInterval? = [nil, nil, 0, 5, 50].randomElement(using: &random) ?? nil
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let event = Event(
          host: host, isHTTPS: isHTTPS, defaultPath: slash == path.startIndex ? "/" : String(path[..<slash]),
          domain: Bool.random(using: &random) ? Self.domains.randomElement(using: &random) : nil,
          path: Bool.random(using: &random) ? Self.paths.randomElement(using: &random) : nil,
          isSecure: Int.random(in: 0..<3, using: &random) == 0, end: lifetime.map { visit.now + $0 },
          isSameSiteNone: Int.random(in: 0..<8, using: &random) == 0)
        let name = ["m", "n", "__Secure-m"].randomElement(using: &random) ?? ""
        let age = lifetime.map { "; Max-Age=\(Int($0))" } ?? ""
        visit.receive("\(name)=\(events.count)\(event.line)\(age)", from: url)
        events.append(event)
        // Over http no secure cookie changes. One may be evicted if there are too many.
        if !isHTTPS, !Self.isThisMachine(host) {
          let left = Set(visit.jar.entries.map(\.cookie.value))
          let isFull = visit.jar.count == 20
          for entry in secure where !isFull && !entry.cookie.isExpired(at: visit.now) {
            #expect(left.contains(entry.cookie.value))
          }
        }
      case 5..<9:
        let pairs = visit.sent(to: url).split(separator: "; ")
        var names: Set<Substring> = []
        for pair in pairs {
          let parts = pair.split(separator: "=")
          guard parts.count == 2, let number = Int(parts[1]), events.indices.contains(number) else {
            #expect(Bool(false), "\(pair) was never set")
            continue
          }
          let event = events[number]
          #expect(
            Self.maySend(event, to: host, path, isHTTPS: isHTTPS, at: visit.now),
            "\(event) was sent to \(url)")
          if parts[0].hasPrefix("__Secure-") { #expect(event.isSecure) }
          names.insert(pair)
        }
        #expect(names.count == pairs.count)
      default: visit.wait(.random(in: 0...10, using: &random))
      }
      let entries = visit.jar.entries
      #expect(entries.count == visit.jar.count)
      #expect(entries.count <= 20)
      #expect(visit.jar.sites.values.allSatisfy { (1...6).contains($0.count) })
      #expect(entries.allSatisfy { $0.cookie.problem == nil && visit.jar.mayKeep($0.cookie) })
      for (index, entry) in entries.enumerated() {
        #expect(!entries[(index + 1)...].contains { $0.cookie.isReplaced(by: entry.cookie) })
      }
    }
  }

  @Test(.computesLong, arguments: 0..<12)
  func `every cookie that may be sent is sent, unless another replaces or evicts it`(_ seed: UInt64) {
    var random = SeededRandom(seed: 1000 + seed)
    var visit = CookieVisit(perDomain: 10_000, total: 10_000)
    var events: [Event] = []
    for _ in 0..<100 {
      let (host, path) = (
        Self.hosts.randomElement(using: &random) ?? "", Self.paths.randomElement(using: &random) ?? ""
      )
      let slash = path.lastIndex(of: "/") ?? path.startIndex
      let event = Event(
        host: host, isHTTPS: .random(using: &random),
        defaultPath: slash == path.startIndex ? "/" : String(path[..<slash]),
        domain: Bool.random(using: &random) ? Self.domains.randomElement(using: &random) : nil,
        path: Bool.random(using: &random) ? Self.paths.randomElement(using: &random) : nil,
        isSecure: .random(using: &random), end: nil, isSameSiteNone: false)
      visit.receive(
        "n\(events.count)=\(events.count)\(event.line)",
        from: "\(event.isHTTPS ? "https" : "http")://\(host)\(path)")
      events.append(event)
    }
    for host in Self.hosts {
      for path in Self.paths {
        for isHTTPS in [false, true] {
          let sent = visit.sent(to: "\(isHTTPS ? "https" : "http")://\(host)\(path)")
          let expected = events.indices.filter {
            Self.mayKeep(events[$0])
              && Self.maySend(events[$0], to: host, path, isHTTPS: isHTTPS, at: visit.now)
          }
          #expect(Set(sent.split(separator: "; ")) == Set(expected.map { "n\($0)=\($0)" }))
        }
      }
    }
  }

  /// Returns true if the host of the event may set a cookie for its domain.
  private static func mayKeep(_ event: Event) -> Bool {
    guard let domain = event.domain.map({ $0.lowercased().trimmingPrefix(".") }).map(String.init),
      !domain.isEmpty
    else { return true }
    return domain == event.host
      || (!suffixes.contains(domain) && event.host.hasSuffix(".\(domain)")
        && event.host.last?.isNumber != true)
  }
}
