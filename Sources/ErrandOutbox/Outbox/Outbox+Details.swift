package import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A stored request with its content and its response, without secrets, as the console shows it.
package struct OutboxDetails: Sendable {
  package struct Content: Sendable {
    package let fields: HTTPFields
    package let body: EventBody?
    /// Why there is no body to show.
    package let note: String
  }

  package struct Response: Sendable {
    package let status: HTTPStatus
    package let fields: HTTPFields
    package let body: EventBody?
  }

  package let entry: OutboxEntry
  /// Nil if the content was removed, or cannot be read.
  package let content: Content?
  package let response: Response?
}

extension Outbox {
  /// Returns a request with its content; nil if the outbox does not know it any more.
  /// - Parameter bodyLimit: The most bytes of the body. Bodies in files are not read.
  package func details(of id: OutboxID, bodyLimit: Int) async throws -> OutboxDetails? {
    guard let row = try await store.row(id) else { return nil }
    let entry = storage.entry(row)
    let content = try await store.contents(of: [id]).first ?? nil
    let stored = content.flatMap { try? storage.stored(from: $0, of: id).request }
    return OutboxDetails(
      entry: entry, content: stored.map { shown($0, bodyLimit) }, response: entry.response.map { shown($0) })
  }

  private func shown(_ request: StoredRequest, _ limit: Int) -> OutboxDetails.Content {
    let fields = request.fields.masked(hiding: storage.secrets)
    let type = request.fields["Content-Type"] ?? request.body.contentType
    let shownFields =
      fields.contains("Content-Type") ? fields : type.map { fields.adding("Content-Type", $0) } ?? fields
    guard request.body.kind != .none else {
      return OutboxDetails.Content(fields: shownFields, body: nil, note: "The request has no body.")
    }
    guard request.body.segments.count == 1, case .bytes(let data) = request.body.segments[0] else {
      return OutboxDetails.Content(
        fields: shownFields, body: nil,
        note: "The body of \(request.body.length) bytes is in files, which are not shown.")
    }
    return OutboxDetails.Content(
      fields: shownFields,
      body: EventBody(data.prefix(limit), length: Int64(data.count), type, storage.secrets),
      note: "The body is not shown, because secrets cannot be recognized in it.")
  }

  private func shown(_ response: OutboxResponse) -> OutboxDetails.Response {
    let length = Int64(response.body.count) + (response.isWhole ? 0 : 1)
    return OutboxDetails.Response(
      status: response.status, fields: response.fields.masked(hiding: storage.secrets),
      body: EventBody(response.body, length: length, response.fields["Content-Type"], storage.secrets))
  }
}

extension HTTPFields {
  fileprivate func contains(_ name: String) -> Bool { self[name] != nil }

  fileprivate func adding(_ name: String, _ value: String) -> HTTPFields {
    var fields = self
    fields.append(name, value)
    return fields
  }
}
