#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The stored responses of one URL, and the one that a request selects (RFC 9111, section 4.1). Pure.
struct CacheSelection: Sendable {
  /// A stored response and its number.
  struct Variant: Sendable {
    let number: Int
    let response: CachedResponse
  }

  let variants: [Variant]
  /// The newest response that the request selects; nil without one.
  let selected: Variant?

  /// - Parameters:
  ///   - stored: The stored responses, in the order of their numbers.
  ///   - request: The header fields of the request.
  ///   - digest: Makes the value of a secret field that is stored.
  init(
    _ stored: [CachedResponse?], for request: HTTPFields, secrets: Secrets, _ digest: (String) -> String
  ) {
    var variants: [Variant] = []
    var selected: Variant?
    for (number, response) in zip(CacheKey.variants, stored) {
      guard let response, response.exchange != nil else { continue }
      let variant = Variant(number: number, response: response)
      variants.append(variant)
      if Self.selects(response, request, secrets, digest),
        selected.map({ $0.response.date < response.date }) ?? true
      {
        selected = variant
      }
    }
    self.variants = variants
    self.selected = selected
  }

  private static func selects(
    _ response: CachedResponse, _ request: HTTPFields, _ secrets: Secrets, _ digest: (String) -> String
  ) -> Bool {
    let vary = response.rules.vary
    if vary.isAny { return false }
    if vary.names.isEmpty { return true }
    let values = vary.values(in: request, secrets: secrets, digest)
    if response.exchange?.selecting.contains(values) == true { return true }
    // A server that chooses by language would choose the response again.
    guard vary.names == ["accept-language"], let language = response.fields["Content-Language"],
      let accept = request["Accept-Language"]
    else { return false }
    return LanguagePreference.prefers(language, accept)
  }

  static let empty = CacheSelection(variants: [], selected: nil)

  private init(variants: [Variant], selected: Variant?) {
    self.variants = variants
    self.selected = selected
  }

  /// Returns the responses that could be delivered to a request if the server says that they are valid.
  func usable(for request: HTTPFields) -> CacheSelection {
    func isUsable(_ variant: Variant) -> Bool { variant.response.part(for: request) != nil }
    return CacheSelection(
      variants: variants.filter(isUsable), selected: selected.flatMap { isUsable($0) ? $0 : nil })
  }

  /// The conditions that ask the server whether one of the stored responses is still valid: all their entity tags,
  /// or the date of the selected one. Empty if no stored response can be validated.
  var conditions: HTTPFields {
    let tags = variants.compactMap { $0.response.fields["ETag"] }
    var conditions = HTTPFields()
    if !tags.isEmpty, selected?.response.fields.contains("ETag") ?? true {
      var unique: [String] = []
      for tag in tags where !unique.contains(where: { ASCII.areSame($0, tag) }) { unique.append(tag) }
      conditions.append("If-None-Match", unique.joined(separator: ", "))
    }
    if let modified = selected?.response.fields["Last-Modified"] {
      conditions.append("If-Modified-Since", modified)
    }
    return conditions
  }

  /// Returns the variant that a 304 is about (RFC 9111, section 4.3.4); nil if it is about none of them.
  func validated(by news: HTTPFields) -> Variant? {
    guard let tag = news["ETag"] else {
      // Without a tag, it is about the response whose validators were sent.
      if let selected {
        let modified = news["Last-Modified"]
        let isSame = modified.map { ASCII.areSame($0, selected.response.fields["Last-Modified"] ?? "") }
        return isSame ?? true ? selected : nil
      }
      return variants.count == 1 ? variants.first : nil
    }
    let same = variants.filter { variant in
      variant.response.fields["ETag"].map { CachedResponse.isSame($0, tag) } ?? false
    }
    if let selected, same.contains(where: { $0.number == selected.number }) { return selected }
    return same.max { $0.response.date < $1.response.date }
  }

  /// Returns the number under which a new response is stored: that of the response which it replaces, a free one, or
  /// that of the oldest. A response without `Vary` has the first number, and replaces all others; so where there is one,
  /// no other need be looked for.
  func number(for response: CachedResponse, among numbers: ClosedRange<Int>) -> Int {
    let (vary, values) = (response.rules.vary, response.exchange?.selecting.first ?? [])
    if vary.names.isEmpty { return numbers.lowerBound }
    let replaced = variants.first { variant in
      variant.response.rules.vary.names.isEmpty
        || (variant.response.rules.vary == vary
          && variant.response.exchange?.selecting.contains(values) == true)
    }
    if let replaced { return replaced.number }
    let taken = Set(variants.map(\.number))
    return numbers.first { !taken.contains($0) }
      ?? variants.min { $0.response.date < $1.response.date }?.number ?? numbers.lowerBound
  }

  /// Returns the numbers of the responses that a new one makes useless, besides the one that it replaces.
  func outdated(by response: CachedResponse) -> [Int] {
    guard response.rules.vary.names.isEmpty else { return [] }
    return variants.map(\.number).filter { $0 != CacheKey.variants.lowerBound }
  }
}
