import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The servers of the documents, and the record of all their responses.
final class DocumentServer: Sendable {
  /// What identifies a response: two responses that differ in any of these are never interchangeable.
  struct Content: Sendable, Hashable {
    let document: Int
    /// The number of unsafe requests that have changed the document.
    let writes: Int
    /// The number of times that it has changed by itself.
    let epoch: Int
    let reader: Reader
    /// Nil if the document has one language.
    let language: String?

    /// Dates in fields have whole seconds, so each version has another second.
    var version: Int { writes + epoch }
    var tag: String { "\(document)-\(writes)-\(epoch)-\(reader)-\(language ?? "")" }
  }

  struct Served: Sendable {
    let content: Content
    let text: String
    /// The time since `Last-Modified`, in seconds.
    let unchanged: Double
    /// The number of writes to each document after a write, by document.
    var writes: [Int: Int] = [:]
  }

  private struct State {
    var writes: [Int: Int] = [:]
    var served: [Int: Served] = [:]
  }

  static let prefix = "/doc/"

  private let documents: [Document]
  private let date: @Sendable () -> Date
  private let start: Date
  private let state = Locked(State())

  init(_ documents: [Document], date: @escaping @Sendable () -> Date) {
    self.documents = documents
    self.date = date
    start = date()
  }

  /// The responses to GET, and the writes, by the indices of their attempts.
  var served: [Int: Served] { state.withLock { $0.served } }

  /// Returns the response; nil if the request is not for a document.
  func response(to arrived: SimulatedAttempt) -> SimulatedResponse? {
    guard arrived.path.hasPrefix(Self.prefix), let number = Int(arrived.path.dropFirst(Self.prefix.count)),
      documents.indices.contains(number)
    else { return nil }
    return arrived.method == .get ? read(number, arrived) : write(number, arrived)
  }

  private func write(_ number: Int, _ arrived: SimulatedAttempt) -> SimulatedResponse {
    let companion = arrived.method == .post ? documents[number].companion : nil
    let text = Echo.text(of: arrived.index, length: 3)
    state.withLock { state in
      for number in [number, companion].compactMap(\.self) { state.writes[number, default: 0] += 1 }
      let content = Content(
        document: number, writes: state.writes[number] ?? 0, epoch: 0, reader: .anyone, language: nil)
      state.served[arrived.index] = Served(content: content, text: text, unchanged: 0, writes: state.writes)
    }
    guard let companion else { return SimulatedResponse(text: text) }
    return SimulatedResponse(status: 201, fields: ["Location": "\(Self.prefix)\(companion)"], text: text)
  }

  private func read(_ number: Int, _ arrived: SimulatedAttempt) -> SimulatedResponse {
    let document = documents[number]
    let now = date()
    let passed = now.timeIntervalSince(start)
    let language = document.vary.contains("Accept-Language") ? arrived.fields["Accept-Language"] ?? "en" : nil
    let content = Content(
      document: number, writes: state.withLock { $0.writes[number] ?? 0 },
      epoch: Int(passed) / document.period, reader: Reader(arrived.fields), language: language)
    let modified = start.addingTimeInterval(Double(content.version - 60))
    let text =
      "\(Echo.text(of: arrived.index, length: 1)) \(content.tag) "
      + String(repeating: ".", count: number * 17 % 50)
    state.withLock {
      $0.served[arrived.index] = Served(
        content: content, text: text, unchanged: now.timeIntervalSince(modified))
    }
    var fields: HTTPFields = [:]
    if !document.control.isEmpty { fields["Cache-Control"] = document.control.joined(separator: ", ") }
    if !document.vary.isEmpty { fields["Vary"] = document.vary.joined(separator: ", ") }
    if let language { fields["Content-Language"] = language }
    if document.hasDate { fields["Date"] = now.httpText }
    if case .expires(let seconds) = document.lifetime {
      fields["Expires"] = now.addingTimeInterval(Double(seconds)).httpText
    }
    let tag = "\(document.hasWeakTag ? "W/" : "")\"\(content.tag)\""
    if document.hasTag { fields["ETag"] = tag }
    if !document.hasTag || document.lifetime == .heuristic { fields["Last-Modified"] = modified.httpText }
    let isUnchanged =
      document.hasTag
      ? arrived.fields["If-None-Match"]?.contains("\"\(content.tag)\"") ?? false
      : arrived.fields["If-Modified-Since"] == modified.httpText
    return isUnchanged
      ? SimulatedResponse(status: 304, fields: fields) : SimulatedResponse(fields: fields, text: text)
  }
}
