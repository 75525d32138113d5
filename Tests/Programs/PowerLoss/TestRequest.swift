import ErrandCore
import ErrandOutbox
import ErrandTesting
import Foundation

/// A numbered request whose properties all follow from its number.
struct TestRequest {
  private static let path = "/requests/"

  let number: Int

  var id: OutboxID { OutboxID(rawValue: "request-\(number)") }
  /// True for every eleventh, which the server refuses.
  var isRefused: Bool { number % 11 == 3 }
  /// True for every seventh, for which the server is busy the first time.
  var isBusyAtFirst: Bool { number % 7 == 2 }

  init(_ number: Int) { self.number = number }

  init?(_ id: OutboxID) {
    guard let number = Int(id.rawValue.dropFirst("request-".count)) else { return nil }
    self.number = number
  }

  init?(_ request: StubRequest) {
    guard let number = Int(request.url.lastPathComponent) else { return nil }
    self.number = number
  }

  private var payload: Data {
    var random = SeededRandom(seed: UInt64(number))
    // Some fit into a row, and some do not.
    let length = number % 4 == 1 ? Int.random(in: 66_000..<140_000, using: &random) : 200
    return Data("request \(number) ".utf8) + Data(repeating: UInt8(number % 251), count: length)
  }

  /// - Parameter folder: The folder for a file, if the request needs one.
  func item(filesIn folder: URL) throws -> OutboxItem {
    var body = RequestBody.bytes(payload)
    if number % 5 == 0 {
      let file = folder.appending(path: "\(number)")
      try payload.write(to: file)
      body = .file(file, contentType: "text/plain")
    }
    let request = Request.post("http://errand.test\(Self.path)\(number)", body)
    return OutboxItem(request, lane: number % 3 == 0 ? nil : "lane \(number % 3)", id: id)
  }

  /// Returns true if the body is the one that was enqueued.
  func isWhole(_ body: Data) -> Bool { body == payload }
}
