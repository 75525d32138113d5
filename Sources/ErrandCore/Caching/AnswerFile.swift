#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A kept answer's file, open for reading; its head has been checked. It does not change while it is read: a newer answer
/// takes its name, not its bytes.
struct AnswerFile: Sendable {
  let file: FileDescriptor
  let head: AnswerHead
  let key: AnswerKey
  let length: Int64
  private let prefix: AnswerFilePrefix

  /// - Throws: `FileError` if it cannot be read, `AnswerFileFault` if it is no answer.
  init(_ file: FileDescriptor) throws {
    self.file = file
    length = try file.length()
    prefix = try AnswerFilePrefix(file.read(AnswerFilePrefix.length, at: 0))
    guard prefix.fits(length) else { throw AnswerFileFault.damaged }
    let bytes = try file.read(prefix.headLength, at: Int64(AnswerFilePrefix.length))
    guard prefix.matches(head: bytes), let head = try? JSONDecoder().decode(AnswerHead.self, from: bytes)
    else { throw AnswerFileFault.damaged }
    self.head = head
    key = try head.key()
  }

  /// - Throws: As `init`.
  func answer() throws -> KeptAnswer {
    let body = try file.read(prefix.bodyLength, at: Int64(AnswerFilePrefix.length + prefix.headLength))
    guard prefix.matches(body: body) else { throw AnswerFileFault.damaged }
    return try head.answer(with: body)
  }

  /// All that comes before the body.
  static func start(of answer: KeptAnswer, under key: AnswerKey) throws -> Data {
    let head = try JSONEncoder().encode(AnswerHead(answer, under: key))
    return AnswerFilePrefix(head: head, body: answer.data).bytes + head
  }
}
