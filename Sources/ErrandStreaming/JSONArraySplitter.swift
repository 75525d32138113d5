#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Splits a JSON array into its elements. The bytes may be divided anywhere. Pure. It checks only what separates the
/// elements: whoever decodes an element checks the element.
struct JSONArraySplitter: Sendable {
  enum Problem: Error {
    case notAnArray
    case unexpected(UInt8, afterElements: Int)
    case tooLong(limit: Int)
    case incomplete(afterElements: Int)
  }

  private enum Place {
    case beforeArray
    case beforeElement(isFirst: Bool)
    case inElement
    case afterElement
    case afterArray
  }

  /// The maximum length of an element, in bytes.
  private let limit: Int
  private var place = Place.beforeArray
  private var element = Data()
  /// The number of brackets and braces that are open in the element.
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The number of bytes of a byte order mark that may still come.
  private var mark: Data.SubSequence = Data.byteOrderMark
  private(set) var count = 0

  /// - Parameter limit: The maximum length of an element, in bytes.
  init(limit: Int) { self.limit = limit }

  /// Reads further bytes, and adds the elements that they complete.
  /// - Throws: `Problem`.
  mutating func read(_ bytes: Data, into elements: inout [Data]) throws(Problem) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if case .inElement = place {
        index = try readElement(bytes, from: index, into: &elements)
      } else {
        try read(bytes[index])
        if case .inElement = place { continue }
        index += 1
      }
    }
  }

  /// - Throws: `Problem`, if the array has not ended.
  func end() throws(Problem) {
    guard case .afterArray = place else { throw .incomplete(afterElements: count) }
  }

  /// Reads a byte between elements. One that begins an element is left.
  private mutating func read(_ byte: UInt8) throws(Problem) {
    if case .beforeArray = place {
      if byte == mark.first {
        mark = mark.dropFirst()
        return
      }
      // Only a whole mark, and only at the very beginning.
      guard [0, Data.byteOrderMark.count].contains(mark.count) else { throw .notAnArray }
      mark = Data()
    }
    switch (place, byte) {
    case (_, UInt8(ascii: " ")), (_, UInt8(ascii: "\t")), (_, UInt8(ascii: "\r")), (_, UInt8(ascii: "\n")):
      break
    case (.beforeArray, UInt8(ascii: "[")): place = .beforeElement(isFirst: true)
    case (.beforeArray, _): throw .notAnArray
    case (.beforeElement(isFirst: true), UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")):
      place = .afterArray
    case (.afterElement, UInt8(ascii: ",")): place = .beforeElement(isFirst: false)
    case (.beforeElement, UInt8(ascii: "]")), (.beforeElement, UInt8(ascii: ",")), (.afterElement, _),
      (.afterArray, _):
      throw .unexpected(byte, afterElements: count)
    case (.beforeElement, _): place = .inElement
    case (.inElement, _): preconditionFailure("read by readElement")
    }
  }

  /// Reads bytes of an element.
  /// - Returns: The index after them.
  private mutating func readElement(
    _ bytes: Data, from start: Int, into elements: inout [Data]
  ) throws(Problem) -> Int {
    var end = start
    var isComplete = false
    while end < bytes.endIndex, !isComplete {
      let byte = bytes[end]
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          isComplete = depth == 0
        }
        end += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // The end of the array follows a number or a word directly.
        if depth == 0 { return try complete(bytes[start..<end], at: end, into: &elements) }
        depth -= 1
        isComplete = depth == 0
      case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
        if depth == 0 { return try complete(bytes[start..<end], at: end, into: &elements) }
      default: break
      }
      end += 1
    }
    if isComplete { return try complete(bytes[start..<end], at: end, into: &elements) }
    try add(bytes[start..<end])
    return end
  }

  private mutating func complete(
    _ last: Data, at end: Int, into elements: inout [Data]
  ) throws(Problem) -> Int {
    try add(last)
    elements.append(element)
    element = Data()
    count += 1
    place = .afterElement
    return end
  }

  private mutating func add(_ bytes: Data) throws(Problem) {
    guard bytes.count <= limit - element.count else { throw .tooLong(limit: limit) }
    element.append(bytes)
  }
}
