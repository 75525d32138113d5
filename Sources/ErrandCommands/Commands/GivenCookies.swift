import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The cookies of the command line, which are sent to the origin of its URL, with the others in a file.
struct GivenCookies: CookieJar {
  /// The value of the field, such as `a=1; b=2`.
  let given: String
  let jar: any CookieJar
  let origin: Origin?

  func field(for url: URL, identity: String?, at now: Date) -> String? {
    let kept = jar.field(for: url, identity: identity, at: now)
    guard Origin(url) == origin else { return kept }
    let names = pairs(given).map(name)
    let others = pairs(kept ?? "").filter { !names.contains(name($0)) }
    return ([given] + others).joined(separator: "; ")
  }

  func receive(
    _ fields: HTTPFields, from url: URL, identity: String?, at now: Date
  ) -> (@Sendable () async throws -> Void)? {
    jar.receive(fields, from: url, identity: identity, at: now)
  }

  private func pairs(_ field: String) -> [String] {
    field.split(separator: ";").map { ASCII.trimmed($0) }
  }

  private func name(_ pair: String) -> String { String(pair.prefix { $0 != "=" }) }
}
