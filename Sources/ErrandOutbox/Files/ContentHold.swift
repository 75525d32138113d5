import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Protects files in the outbox's folder from a sweep until their rows are stored or the files are removed.
/// One hold, with one open file, covers all files that a process writes for some requests.
///
/// The hold's file is locked. Its name is that of a part. Its number begins with the hold's number, and so do
/// the numbers of all its files.
final class ContentHold: Sendable {
  private let number: String
  private let file: FileDescriptor
  private let count = Locked<UInt32>(0)

  /// Creates a hold and locks its file.
  /// - Throws: `.notWritable`, `.diskFull`.
  init(in folder: String) throws(OutboxError) {
    (number, file) = try ContentWriter.writing { () throws(FileError) in
      for _ in 0..<100 {
        let number = ContentFileName.newHold()
        let path = "\(folder)/\(ContentFileName.hold(number))"
        guard FileDescriptor.status(of: path) == nil else { continue }
        let file = try FileDescriptor(private: path)
        FolderOwner.adopt(file.raw, in: folder)
        // A sweeper may have locked the file first, as that of an ended process.
        if file.claim() { return (number, file) }
      }
      throw FileError(.create, folder, "another process removes each new file at once")
    }
  }

  deinit { FileDescriptor.remove(file.path) }

  /// Returns the number for the name of one more file.
  func newNumber() -> String {
    ContentFileName.number(
      in: number,
      count.withLock { count in
        defer { count += 1 }
        return count
      })
  }
}

/// The names of files in the outbox's folder. Files with other names are never changed.
///
/// `<SHA-256 of the file's bytes>.<the request's id>.<a number>`: each file belongs to one request, and its
/// bytes can be checked. The number begins with the random number of its `ContentHold`.
enum ContentFileName {
  private static let part = ".part"
  private static let numberLength = 16
  private static let holdLength = 10

  static func of(_ digest: SHA256Digest, _ id: OutboxID, _ number: String) -> String {
    "\(digest).\(safe(id)).\(number)"
  }

  /// Returns the name of an incomplete file.
  static func part(_ number: String) -> String { number + part }

  static func newHold() -> String {
    UInt64.random(in: 0..<1 << (4 * UInt64(holdLength))).hexadecimal(holdLength)
  }

  /// Returns the name of the hold's file.
  static func hold(_ number: String) -> String {
    number + String(repeating: "f", count: numberLength - holdLength) + part
  }

  static func isHold(_ name: String) -> Bool { isPart(name) && name == hold(String(name.prefix(holdLength))) }

  /// Returns the number of the hold's n-th file.
  static func number(in hold: String, _ index: UInt32) -> String {
    hold + UInt64(index & 0xFF_FFFF).hexadecimal(numberLength - holdLength)
  }

  /// Returns the number of the hold that a file or a part belongs to.
  static func hold(of name: String) -> String? {
    let number = isPart(name) ? name.prefix(numberLength) : name.suffix(numberLength)
    return isPart(name) || isContent(name) ? String(number.prefix(holdLength)) : nil
  }

  static func isContent(_ name: String) -> Bool { digest(in: name) != nil }

  static func isPart(_ name: String) -> Bool {
    name.hasSuffix(part) && isNumber(name.dropLast(part.utf8.count))
  }

  /// Returns the digest that the file's bytes must have; nil if this is not the name of a content file.
  static func digest(in name: String) -> String? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].utf8.count == 2 * SHA256Digest.byteCount,
      parts[0].utf8.allSatisfy(isHexadecimal), isSafe(parts[1]), isNumber(parts[2])
    else { return nil }
    return String(parts[0])
  }

  /// Returns the id, or its digest if the id contains characters that a file name must not have.
  private static func safe(_ id: OutboxID) -> String {
    isSafe(id.rawValue) ? id.rawValue : "\(SHA256Digest(hashing: Data(id.rawValue.utf8)))"
  }

  private static func isSafe(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        switch $0 {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
  }

  private static func isNumber(_ text: Substring) -> Bool {
    text.utf8.count == numberLength && text.utf8.allSatisfy(isHexadecimal)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool { 48...57 ~= byte || 97...102 ~= byte }
}
