import ErrandCore
public import ErrandOutbox

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension HTTPURLResponse {
  /// The times of a response that came through `ErrandURLProtocol`, in the syntax of `Server-Timing`: `queue`,
  /// `dns`, `connect`, `tls`, `first-byte` and `total` in milliseconds, and the number of attempts. The session's
  /// metrics do not contain them.
  public var errandTiming: String? { value(forHTTPHeaderField: "Errand-Timing") }

  /// The identifier of a stored request that was marked for the outbox. It is nil for any other response that
  /// came through `ErrandURLProtocol`, even if its server sends this field.
  public var errandOutboxID: OutboxID? {
    value(forHTTPHeaderField: "Errand-Outbox-ID").map(OutboxID.init(rawValue:))
  }

  /// Makes a session's response from a client's.
  /// - Parameter id: The identifier of the stored request.
  convenience init?(_ response: Response, stored id: OutboxID? = nil) {
    var fields: [String: String] = [:]
    // The body is decompressed already.
    let isDecoded = response.fields.contains("Content-Encoding")
    for field in response.fields where fields[field.name] == nil {
      if isDecoded, ["content-encoding", "content-length"].contains(field.name.lowercased()) { continue }
      fields[field.name] = response.fields.values(of: field.name).joined(separator: ", ")
    }
    for name in fields.keys where ["errand-timing", "errand-outbox-id"].contains(name.lowercased()) {
      fields[name] = nil
    }
    fields["Errand-Outbox-ID"] = id?.rawValue
    fields["Errand-Timing"] = response.timing.text
    let version = response.timing.httpVersion == .http2 ? "HTTP/2" : "HTTP/1.1"
    self.init(
      url: response.url, statusCode: response.status.code, httpVersion: version, headerFields: fields)
  }
}

extension Timing {
  fileprivate var text: String {
    let steps: [(String, Duration?)] = [
      ("queue", queue), ("dns", dns), ("connect", connect), ("tls", tls), ("first-byte", firstByte),
      ("total", total),
    ]
    let parts = steps.compactMap { name, time in time.map { "\(name);dur=\($0.milliseconds)" } }
    return (parts + ["attempts;desc=\"\(attempts)\""]).joined(separator: ", ")
  }
}

extension Duration {
  fileprivate var milliseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1000 + (Double(attoseconds) / 1e12).rounded() / 1000
  }
}
