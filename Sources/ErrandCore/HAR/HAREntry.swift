#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One attempt, or one redirect of it, as an entry of a HAR 1.2 file.
struct HAREntry: Encodable, Sendable {
  struct Pair: Encodable, Sendable {
    let name: String
    let value: String
  }

  /// Cookies are secrets, so there are none.
  private struct NoCookie: Encodable, Sendable {}

  struct PostData: Encodable, Sendable {
    let mimeType: String
    let text: String
    /// No parameters: they are in the text.
    let params: [Pair] = []
    let comment: String?
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
      // Nothing after the number sign is sent.
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

  struct Response: Encodable, Sendable {
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
    /// Why there is no response, or why it was not accepted.
    var error: String?

    init() {}
  }

  /// What only Errand knows of the attempt.
  struct Facts: Encodable, Sendable {
    let call: UInt64
    let attempt: Int
    let redirects: Int
    let purpose: String
    let scope: String?
    /// The calls that share the response.
    let sharedBy: [UInt64]?
    /// Why there was an attempt after this one, and after how many milliseconds.
    let retry: String?
    let retryAfter: Double?
    let cache: String?
  }

  private struct NoCache: Encodable, Sendable {}

  enum CodingKeys: String, CodingKey {
    case startedDateTime, time, request, response, cache, timings, serverIPAddress
    case fromCache = "_fromCache"
    case priority = "_priority"
    case resourceType = "_resourceType"
    case facts = "_errand"
  }

  static let unknownVersion = "unknown"

  let startedDateTime: String
  let time: Double
  let request: Request
  let response: Response
  private let cache = NoCache()
  let timings: HARTimings
  let serverIPAddress: String?
  let fromCache: String?
  let priority: String
  private let resourceType = "fetch"
  let facts: Facts

  init(
    date: Date, _ request: Request, _ response: Response, _ timings: HARTimings, address: String?,
    isCached: Bool, priority: Priority, _ facts: Facts
  ) {
    startedDateTime = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    time = timings.total
    self.request = request
    self.response = response
    self.timings = timings
    serverIPAddress = address
    // Chrome knows this and `disk`.
    fromCache = isCached ? "memory" : nil
    self.priority = priority.chromeName
    self.facts = facts
  }

  /// The entry as one line of JSON.
  func line() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}

extension Priority {
  /// The name that Chrome gives a priority.
  fileprivate var chromeName: String {
    switch self {
    case .userInitiated: "High"
    case .default: "Medium"
    case .utility: "Low"
    case .background: "VeryLow"
    }
  }
}
