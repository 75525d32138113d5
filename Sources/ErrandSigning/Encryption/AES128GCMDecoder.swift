#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Decrypts content that is encrypted with the `aes128gcm` content coding (RFC 8188), piece by piece.
///
/// ```swift
/// var decoder = AES128GCMDecoder()
/// for try await piece in pieces { try await use(decoder.update(piece, keys: keys)) }
/// try use(decoder.finish())
/// ```
///
/// A record's bytes are returned only after its tag was verified. The bytes returned so far are the beginning
/// of the content; whether they are all of it is certain only when `finish()` has returned. After an error
/// the decoder returns no more content.
///
/// The decoder holds less than one record, or one piece while it has no key.
@_spi(Benchmarks)
public struct AES128GCMDecoder: ~Copyable, Sendable {
  private enum State: Sendable, Equatable {
    case header
    case key
    case records
    /// The last record was read.
    case last
    case finished
    case failed(SigningError)
  }

  /// The content's header; nil until it was read.
  private(set) var header: EncryptionHeader?
  private let maximumRecordSize: Int
  private let maximumCount: UInt64
  private var state = State.header
  private var cipher: RecordCipher?
  /// The beginning of the header or of a record. While the key is missing, the bytes that came after the
  /// header.
  private var pending: [UInt8] = []
  private var number: UInt64 = 0

  /// Makes a decoder for one content.
  /// - Parameter maximumRecordSize: The largest records that are accepted, in bytes. The decoder holds at
  ///   most this much in memory. More than `EncryptionHeader.maximumRecordSize` has no effect.
  public init(maximumRecordSize: Int = 1 << 20) {
    self.init(maximumRecordSize: maximumRecordSize, maximumCount: .max)
  }

  init(maximumRecordSize: Int, maximumCount: UInt64) {
    self.maximumRecordSize = min(maximumRecordSize, EncryptionHeader.maximumRecordSize)
    self.maximumCount = maximumCount
  }

  /// The name of the key that the decoder needs next; nil if it needs no key now.
  public var neededKeyID: Data? {
    guard case .key = state else { return nil }
    return header?.keyID
  }

  /// The number of bytes that wait for the rest of their record.
  var heldCount: Int { pending.count }
  /// The number of bytes that memory is reserved for.
  var heldCapacity: Int { pending.capacity }

  /// Decrypts the next piece, of any length. If `neededKeyID` is set afterwards, call `use(_:)` next.
  /// - Returns: The content of the records that are complete.
  /// - Throws: `SigningError` if the bytes are not those that were encrypted, and the same error
  ///   from then on; `.misused` if a key is needed first, or after `finish()`.
  public mutating func update(_ piece: Data) throws(SigningError) -> Data {
    try checkUse()
    do {
      return try header == nil ? readHeader(piece) : readRecords(piece)
    } catch {
      throw fail(error)
    }
  }

  /// Decrypts the next piece, and finds the key when the header has named it.
  /// - Returns: The content of the records that are complete.
  /// - Throws: The errors of `update(_:)`, and those of `keys`.
  package mutating func update(_ piece: Data, keys: some ContentKeyProvider) async throws -> Data {
    let content = try update(piece)
    guard let id = neededKeyID else { return content }
    return try use(await keys.contentKey(for: id))
  }

  /// Sets the key that `neededKeyID` names.
  /// - Returns: The content of the records that came with the header.
  /// - Throws: The errors of `update(_:)`; `.misused` if the decoder needs no key now.
  public mutating func use(_ key: ContentKey) throws(SigningError) -> Data {
    guard case .key = state, let header else {
      throw SigningError(
        .misused, "the decoder needs no key now; give it one when neededKeyID is set")
    }
    cipher = RecordCipher(RecordKeys(key, salt: header.salt), encrypts: false)
    state = .records
    let rest = Data(pending)
    pending = []
    return try update(rest)
  }

  /// Ends the content. The content is whole only if this does not throw.
  /// - Returns: The content of the last record, if it is shorter than the others.
  /// - Throws: The errors of `update(_:)`; `.truncated` if the last record is missing.
  public mutating func finish() throws(SigningError) -> Data {
    try checkUse()
    do {
      let content = try state == .last ? Data() : readLastRecord()
      state = .finished
      return content
    } catch {
      throw fail(error)
    }
  }

  private func checkUse() throws(SigningError) {
    switch state {
    case .header, .records, .last: return
    case .key:
      throw SigningError(
        .misused, "the decoder has no key yet; give it the one that neededKeyID names")
    case .finished:
      throw SigningError(.misused, "the decoder is finished; make another one for other content")
    case .failed(let error): throw error
    }
  }

  /// Keeps an error for all later calls: bytes after it cannot be trusted.
  private mutating func fail(_ error: SigningError) -> SigningError {
    (state, cipher, pending) = (.failed(error), nil, [])
    return error
  }
}

extension AES128GCMDecoder {
  private mutating func readHeader(_ piece: Data) throws(SigningError) -> Data {
    var rest = piece
    while pending.count < EncryptionHeader.length(from: pending), !rest.isEmpty {
      let taken = rest.prefix(EncryptionHeader.length(from: pending) - pending.count)
      pending += taken
      rest = rest.dropFirst(taken.count)
    }
    guard pending.count == EncryptionHeader.length(from: pending) else { return Data() }
    header = try EncryptionHeader(pending, maximumRecordSize: maximumRecordSize)
    state = .key
    pending = Array(rest)
    return Data()
  }

  private mutating func readRecords(_ piece: Data) throws(SigningError) -> Data {
    guard let size = header?.recordSize else { return Data() }
    let count = (pending.count + piece.count) / size
    var output = OutputBuffer(capacity: count * (size - RecordLayout.tagLength))
    // `withUnsafeBytes` would lose the error's type if its closure threw.
    let result = piece.withUnsafeBytes { piece -> Result<Void, SigningError> in
      Result { () throws(SigningError) in
        var rest = piece[...]
        for _ in 0..<count {
          if pending.isEmpty {
            try readRecord(UnsafeRawBufferPointer(rebasing: rest.prefix(size)), to: &output)
            rest = rest.dropFirst(size)
          } else {
            let taken = rest.prefix(size - pending.count)
            pending += taken
            rest = rest.dropFirst(taken.count)
            try readPending(to: &output)
          }
        }
        if state == .last, !rest.isEmpty { throw Self.trailing }
        pending += rest
      }
    }
    try result.get()
    return output.data()
  }

  /// Reads the record that may be shorter than the others.
  private mutating func readLastRecord() throws(SigningError) -> Data {
    guard let size = header?.recordSize, pending.count >= RecordLayout.overhead else {
      throw SigningError(
        .truncated, "the encrypted content ends before its last record; it was cut off, so fetch it again")
    }
    precondition(pending.count < size)
    var output = OutputBuffer(capacity: pending.count)
    try readPending(to: &output)
    guard state == .last else {
      throw SigningError(
        .malformed,
        "record \(number) of the encrypted content is shorter than the others, but is not marked as the last; "
          + "the sender encodes it wrongly")
    }
    return output.data()
  }

  private mutating func readPending(to output: inout OutputBuffer) throws(SigningError) {
    // Swapped, not copied, so that the memory is reused.
    var record: [UInt8] = []
    swap(&record, &pending)
    try record.withUnsafeBytes { record in
      Result { () throws(SigningError) in try readRecord(record, to: &output) }
    }.get()
    record.removeAll(keepingCapacity: true)
    swap(&record, &pending)
  }

  private mutating func readRecord(
    _ record: UnsafeRawBufferPointer, to output: inout OutputBuffer
  ) throws(SigningError) {
    guard state != .last else { throw Self.trailing }
    guard let cipher, number < maximumCount else {
      throw SigningError(
        .tooManyRecords,
        "the encrypted content has more records than are safe with one key; have the sender send it in parts")
    }
    let plain = output.grow(by: record.count - RecordLayout.tagLength)
    guard let start = plain.baseAddress, cipher.open(record, number: number, into: start) else {
      throw SigningError(
        .damaged,
        "record \(number + 1) of the encrypted content is not what was encrypted: it was changed, moved or cut off, or "
          + "the key is wrong; fetch it again, and compare the keys")
    }
    number += 1
    guard let (count, delimiter) = RecordLayout.content(of: UnsafeRawBufferPointer(plain)) else {
      throw SigningError(
        .malformed,
        "record \(number) of the encrypted content has no padding delimiter; the sender encodes it wrongly")
    }
    output.shrink(by: plain.count - count)
    if delimiter == .last { state = .last }
  }

  private static var trailing: SigningError {
    SigningError(
      .malformed,
      "the encrypted content has bytes after its last record; do not use it, and fetch it again")
  }
}
