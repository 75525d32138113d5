import Foundation

@testable import ErrandCore

/// Compresses complete data with gzip.
enum WholeGzip {
  static func compressed(_ data: Data) throws -> Data { try Gzip.compress(data) }

  static func expanded(_ data: Data) throws -> Data {
    let filter = try ZlibFilter()
    filter.put(data)
    var expanded = Data()
    while let piece = try filter.take() { expanded += piece }
    try filter.end()
    return expanded
  }
}
