import ErrandCore
package import ErrandOutbox
import ErrandUploads
package import Foundation

/// A numbered upload that resumes. Its content follows from its number.
package struct TestUpload: Sendable {
  package static let numberField = "Upload-Number"

  package let number: Int
  package let content: Data

  package init(_ number: Int) {
    self.number = number
    // No two lines are the same, so that a wrong offset shows.
    content = Data((0..<10_000).map { "line \($0) of upload \(number) ✓\n" }.joined().utf8)
  }

  /// - Parameter server: The server's URL, without a path.
  package func item(to server: String) -> OutboxItem {
    let request = Request.post("\(server)/files", .bytes(content)).field(Self.numberField, "\(number)")
    return OutboxItem(request, id: OutboxID(rawValue: "upload \(number)"), resuming: .automatic)
  }
}
