import ErrandCore
package import ErrandOutbox
import ErrandTesting
package import Foundation

/// A numbered request whose properties all follow from its number, so that a receiver can check it.
package struct TestRequest: Sendable {
  package enum Kind: Sendable {
    case small, large, file, form
  }

  package static let path = "/requests/"
  package static let groupField = "Request-Group"
  package static let senderField = "Request-Sender"

  package let number: Int
  package let kind: Kind
  /// Nil for every fifth request.
  package let lane: String?
  /// The content of the body.
  package let payload: Data

  package init(_ number: Int) {
    self.number = number
    // Three lanes at a time have requests with neighbouring numbers.
    lane = number.isMultiple(of: 5) ? nil : "lane \(number / 100 * 3 + number % 3)"
    var random = SeededRandom(seed: UInt64(number))
    switch Int.random(in: 0..<10, using: &random) {
    case 0: kind = .large
    case 1: kind = .file
    case 2: kind = .form
    default: kind = .small
    }
    // Some fit into a row, and some do not.
    let length = kind == .large ? Int.random(in: 66_000..<90_000, using: &random) : 200
    let text = "request \(number), "
    payload = Data(String(repeating: text, count: length / text.utf8.count + 1).utf8)
  }

  package init?(path: String) {
    guard path.hasPrefix(Self.path), let number = Int(path.dropFirst(Self.path.count)) else { return nil }
    self.init(number)
  }

  package var needsFile: Bool { kind == .file || kind == .form }

  /// - Parameters:
  ///   - server: The server's URL, without a path.
  ///   - file: The file of the payload, if the request needs one.
  ///   - group: The numbers that are enqueued together.
  package func item(to server: String, file: URL, group: ClosedRange<Int>) -> OutboxItem {
    let body: RequestBody =
      switch kind {
      case .small, .large: .bytes(payload)
      case .file: .file(file, contentType: "text/plain")
      case .form: .multipart(MultipartForm().field("number", "\(number)").file("payload", at: file))
      }
    let request = Request.post("\(server)\(Self.path)\(number)", body)
      .field(Self.groupField, "\(group.lowerBound)-\(group.upperBound)")
    return OutboxItem(request, lane: lane)
  }

  /// Returns true if the body is the one that was enqueued.
  package func isWhole(_ body: Data) -> Bool {
    kind == .form ? body.range(of: payload) != nil : body == payload
  }
}
