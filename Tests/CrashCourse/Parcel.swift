import ErrandCore
package import ErrandOutbox
import ErrandTesting
package import Foundation

/// A numbered request: everything about it follows from its number, so whoever gets it knows whether it is whole.
package struct Parcel: Sendable {
  package enum Kind: Sendable {
    case small, large, file, form
  }

  package static let path = "/parcels/"
  package static let groupField = "Parcel-Group"
  package static let senderField = "Parcel-Sender"

  package let number: Int
  package let kind: Kind
  /// Nil for every fifth.
  package let lane: String?
  /// What it carries.
  package let payload: Data

  package init(_ number: Int) {
    self.number = number
    // Three at a time have parcels that follow each other.
    lane = number.isMultiple(of: 5) ? nil : "lane \(number / 100 * 3 + number % 3)"
    var random = SeededRandom(seed: UInt64(number))
    switch Int.random(in: 0..<10, using: &random) {
    case 0: kind = .large
    case 1: kind = .file
    case 2: kind = .form
    default: kind = .small
    }
    // More than a row takes, or less.
    let length = kind == .large ? Int.random(in: 66_000..<90_000, using: &random) : 200
    let text = "parcel \(number), "
    payload = Data(String(repeating: text, count: length / text.utf8.count + 1).utf8)
  }

  package init?(path: String) {
    guard path.hasPrefix(Self.path), let number = Int(path.dropFirst(Self.path.count)) else { return nil }
    self.init(number)
  }

  package var needsFile: Bool { kind == .file || kind == .form }

  /// - Parameters:
  ///   - server: The server's URL, without a path.
  ///   - file: Where the payload is, if it needs a file.
  ///   - group: The numbers that are enqueued together.
  package func item(to server: String, file: URL, group: ClosedRange<Int>) -> OutboxItem {
    let body: Body =
      switch kind {
      case .small, .large: .bytes(payload)
      case .file: .file(file, contentType: "text/plain")
      case .form: .multipart(MultipartForm().field("number", "\(number)").file("payload", at: file))
      }
    let request = Request.post("\(server)\(Self.path)\(number)", body)
      .field(Self.groupField, "\(group.lowerBound)-\(group.upperBound)")
    return OutboxItem(request, lane: lane)
  }

  /// True if that is what was enqueued.
  package func isWhole(_ body: Data) -> Bool {
    kind == .form ? body.range(of: payload) != nil : body == payload
  }
}
