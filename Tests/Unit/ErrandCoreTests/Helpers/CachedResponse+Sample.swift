import Foundation

@testable import ErrandCore

extension CachedResponse {
  static func sample(_ text: String = "", size: Int? = nil, fields: HTTPFields = ["ETag": "1"])
    -> CachedResponse
  {
    CachedResponse(
      status: 200, fields: fields, data: size.map { Data(count: $0) } ?? Data(text.utf8),
      url: URL(string: "https://example.com/") ?? URL(filePath: "/"),
      date: Date(timeIntervalSinceReferenceDate: 800_000_000))
  }

  /// Returns true if the body consists of repetitions of this line only.
  func repeats(_ line: String) -> Bool {
    data == Data(String(repeating: line, count: data.count / line.utf8.count).utf8)
  }
}
