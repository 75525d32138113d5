package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// One attempt, or one redirect of it, as an entry of a HAR file (version 1.2).
package struct HAREntry: Encodable, Sendable {
  struct Pair: Encodable, Sendable {
    let name: String
    let value: String
  }

  /// The element of the array of cookies, which is always empty because cookies are secrets.
  private struct NoCookie: Encodable, Sendable {}

  package struct PostData: Encodable, Sendable {
    let mimeType: String
    let text: String
    /// Always empty, because the parameters are in the text.
    let params: [Pair] = []
    let comment: String?

    /// - Parameter body: The body, as far as it is known.
    package init(_ request: EventRequest, _ body: EventBody?) {
      mimeType = request.fields["Content-Type"] ?? "application/octet-stream"
      text = body?.text ?? body?.base64 ?? ""
      comment =
        body.map { body in
          body.isWhole ? body.base64.map { _ in "base64" } : "the first \(body.count) bytes"
        } ?? "not recorded"
    }
  }

  struct Request: Encodable, Sendable {
    let method: String
    let url: String
    var httpVersion: String
    private let cookies: [NoCookie] = []
    let headers: [Pair]
    let queryString: [Pair]
    let postData: PostData?
    let headersSize = -1
    var bodySize: Int64

    init(_ request: EventRequest, httpVersion: String, bodySize: Int64?, postData: PostData?) {
      let url = request.url
      method = request.method.rawValue
      // The fragment is not sent.
      self.url = String(url.prefix { $0 != "#" })
      self.httpVersion = httpVersion
      headers = request.fields.map { Pair(name: $0.name, value: $0.value) }
      queryString = Self.query(of: self.url)
      self.postData = postData
      self.bodySize = bodySize ?? -1
    }

    private static func query(of url: String) -> [Pair] {
      guard let question = url.firstIndex(of: "?") else { return [] }
      return url[url.index(after: question)...].split(separator: "&").map { item in
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return Pair(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
      }
    }
  }

  struct Content: Encodable, Sendable {
    var size: Int64 = 0
    var mimeType = "x-unknown"
    var text: String?
    var encoding: String?
    var comment: String?
  }

  package struct Response: Encodable, Sendable {
    enum CodingKeys: String, CodingKey {
      case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
      case transferSize = "_transferSize"
      case error = "_error"
    }

    var status = 0
    var statusText = ""
    var httpVersion = HAREntry.unknownVersion
    private let cookies: [NoCookie] = []
    var headers: [Pair] = []
    var content = Content()
    var redirectURL = ""
    let headersSize = -1
    var bodySize: Int64 = -1
    var transferSize: Int64?
    /// The reason why no response arrived, or why it was rejected.
    var error: String?

    /// Makes the entry of a request without a response.
    init() {}

    /// - Parameters:
    ///   - body: The body, as far as it is known.
    ///   - length: The length of the body after decompression; nil if it is unknown.
    ///   - received: The number of the body's bytes on the wire; nil if it is unknown.
    package init(
      status: HTTPStatus, fields: HTTPFields, body: EventBody?, length: Int64?, received: Int64?,
      isCached: Bool
    ) {
      self.status = status.code
      statusText = String(status.description.dropFirst("\(status.code)".count).drop { $0 == " " })
      headers = fields.map { Pair(name: $0.name, value: $0.value) }
      transferSize = isCached ? 0 : received
      bodySize = transferSize ?? -1
      content.mimeType = fields["Content-Type"] ?? "x-unknown"
      content.size = length ?? body?.length ?? 0
      content.text = body?.text ?? body?.base64
      content.encoding = body?.base64 == nil ? nil : "base64"
      if let body, !body.isWhole {
        content.comment = "the first \(body.count) bytes"
      } else if body == nil, length ?? 1 > 0 {
        content.comment = "not recorded"
      }
      // Also of a redirect that was not followed.
      if 300..<400 ~= status.code { redirectURL = fields["Location"] ?? "" }
    }
  }

  /// The facts about an attempt that HAR itself does not define.
  package struct Facts: Encodable, Sendable {
    let call: UInt64
    let attempt: Int
    let redirects: Int
    let purpose: String
    let scope: String?
    /// The numbers of the calls that share the response.
    let sharedBy: [UInt64]?
    /// The number of times that the request was sent again within its attempt; nil for 0.
    let resends: Int?
    /// The reason for another attempt after this one. `retryAfter` is the wait before it, in milliseconds.
    let retry: String?
    let retryAfter: Double?
    let cache: String?

    package init(
      _ step: HARStep, call: UInt64, purpose: CallPurpose, scope: String?, cache: String?,
      sharedBy: [UInt64]
    ) {
      (self.call, self.scope, self.cache) = (call, scope, cache)
      (attempt, redirects, self.purpose) = (step.attempt, step.redirects, purpose.rawValue)
      self.sharedBy = sharedBy.isEmpty ? nil : sharedBy
      resends = step.resends == 0 ? nil : step.resends
      retry = step.retry?.because
      retryAfter = step.retry.map { ($0.after.seconds * 1_000_000).rounded() / 1000 }
    }
  }

  private struct NoCache: Encodable, Sendable {}

  enum CodingKeys: String, CodingKey {
    case startedDateTime, time, request, response, cache, timings, serverIPAddress, pageref
    case fromCache = "_fromCache"
    case priority = "_priority"
    case resourceType = "_resourceType"
    case facts = "_errand"
  }

  static let unknownVersion = "unknown"
  /// The identifier of the page to which all entries belong.
  static let page = "page_1"

  /// Returns a date as HAR has it, in ISO 8601.
  static func text(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  let startedDateTime: String
  let time: Double
  let request: Request
  let response: Response
  private let cache = NoCache()
  let timings: HARTimings
  let serverIPAddress: String?
  private let pageref = HAREntry.page
  let fromCache: String?
  let priority: String
  private let resourceType = "fetch"
  let facts: Facts

  /// - Parameters:
  ///   - sent: The body of the request; nil if it has no body.
  ///   - response: The response; nil if none arrived.
  package init(
    _ step: HARStep, _ request: EventRequest, sent: PostData?, _ response: Response?,
    version: HTTPVersion?, isCached: Bool, _ facts: Facts
  ) {
    startedDateTime = Self.text(step.date)
    timings = HARTimings(step.moments)
    time = timings.total
    let version = version.map { "\($0)" } ?? HAREntry.unknownVersion
    self.request = Request(
      request, httpVersion: version, bodySize: step.sent ?? request.bodyLength, postData: sent)
    var whole = response ?? Response()
    if response != nil { whole.httpVersion = version }
    if !step.redirectURL.isEmpty { whole.redirectURL = step.redirectURL }
    whole.error = step.error
    self.response = whole
    serverIPAddress = step.address
    // Chrome reads `memory` and `disk`.
    fromCache = isCached ? "memory" : nil
    priority = request.priority.chromeName
    self.facts = facts
  }

  /// The entry as one line of JSON.
  package func line() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}

extension Priority {
  /// Chrome's name of the priority.
  fileprivate var chromeName: String {
    switch self {
    case .userInitiated: "High"
    case .default: "Medium"
    case .utility: "Low"
    case .background: "VeryLow"
    }
  }
}
