import Foundation

/// The sent and received files, in and beside the server's folder.
struct Files {
  struct WrongLength: Error, CustomStringConvertible {
    let description: String
  }

  let large: String
  let small: String
  /// The file for downloads.
  let target: String
  /// The file for a child's output.
  let note: String
  let largeName: String
  let smallName: String
  private let folder: URL

  init(besideRoot root: String, size: Int) throws {
    let root = URL(filePath: root)
    let id = ProcessInfo.processInfo.processIdentifier
    folder = root.deletingLastPathComponent().appending(path: "transfer-\(id)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    (largeName, smallName) = ("transfer-\(id)-large", "transfer-\(id)-small")
    large = root.appending(path: largeName).path
    small = root.appending(path: smallName).path
    target = folder.appending(path: "target").path
    note = folder.appending(path: "note").path
    try Self.fill(small, 1024)
    try Self.fill(large, size)
  }

  private static func fill(_ path: String, _ size: Int) throws {
    var random = SystemRandomNumberGenerator()
    let block = Data((0..<(1 << 17)).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) })
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw WrongLength(description: "\(path) cannot be written") }
    var left = size
    while left > 0 {
      try file.write(contentsOf: block.prefix(left))
      left -= min(left, block.count)
    }
    // Otherwise pending writes would disturb the measurement.
    try file.synchronize()
    try file.close()
  }

  /// Checks a download's length and removes the file, because replacing a file takes longer than creating one.
  func check(_ direction: Transfer.Direction, _ size: Int) throws {
    guard direction == .download else { return }
    let attributes = try FileManager.default.attributesOfItem(atPath: target)
    guard (attributes[.size] as? NSNumber)?.intValue == size else {
      throw WrongLength(description: "the received file differs in length from the requested file")
    }
    try FileManager.default.removeItem(atPath: target)
  }

  func remove() {
    for path in [large, small, folder.path] { try? FileManager.default.removeItem(atPath: path) }
  }
}
