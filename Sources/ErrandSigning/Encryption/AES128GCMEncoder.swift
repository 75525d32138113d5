import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Encrypts content with the `aes128gcm` content coding (RFC 8188), piece by piece.
///
/// ```swift
/// var encoder = try AES128GCMEncoder(key: key)
/// for piece in pieces { try send(encoder.update(piece)) }
/// try send(encoder.finish())
/// ```
///
/// The encoder holds back less than one record. Its output does not depend on how the content is cut into
/// pieces.
@_spi(Benchmarks)
public struct AES128GCMEncoder: ~Copyable, Sendable {
  /// The header, which is sent first.
  let header: EncryptionHeader
  private let layout: RecordLayout
  private let cipher: RecordCipher
  private let multiple: Int
  private let maximumCount: UInt64
  /// Content that is not in a record yet. Whether its record is the last is known only when more content or
  /// the end comes.
  private var pending: [UInt8] = []
  /// The zeros that are still to be written.
  private var padding = 0
  /// The number of bytes of content so far, modulo the number that padding fills up to.
  private var excess = 0
  private var number: UInt64 = 0
  private var hasBegun = false
  /// The error of further calls; nil while the encoder accepts content.
  private var end: SigningError?

  /// Makes an encoder for one content, with a random salt.
  /// - Parameters:
  ///   - recordSize: The number of bytes of each encrypted record, from 18 to
  ///     `EncryptionHeader.maximumRecordSize`. 17 of them are not content. A recipient has to hold one
  ///     record, and may refuse large ones.
  ///   - padding: Zeros that hide how long the content is.
  /// - Throws: `.invalidParameter` if the record size or the padding is out of range.
  public init(key: ContentKey, recordSize: Int = 4096, padding: RecordPadding = .none)
    throws(SigningError)
  {
    // Reusing a salt would reveal the content (RFC 8188, section 4.3), so callers cannot choose it.
    try self.init(
      key: key, recordSize: recordSize, padding: padding, salt: .random(EncryptionHeader.saltLength))
  }

  /// - Parameter maximumCount: The most records; nil for as many as are safe.
  init(
    key: ContentKey, recordSize: Int, padding: RecordPadding = .none, salt: Data, maximumCount: UInt64? = nil
  ) throws(SigningError) {
    guard EncryptionHeader.minimumRecordSize...EncryptionHeader.maximumRecordSize ~= recordSize else {
      throw SigningError(
        .invalidParameter,
        "a record cannot have \(recordSize) bytes; choose a record size from \(EncryptionHeader.minimumRecordSize) to "
          + "\(EncryptionHeader.maximumRecordSize)")
    }
    guard padding.isValid else {
      throw SigningError(
        .invalidParameter, "this padding cannot be made; choose one of at most \(RecordPadding.maximum) bytes"
      )
    }
    header = EncryptionHeader(salt: salt, recordSize: recordSize, keyID: key.id)
    layout = RecordLayout(recordSize: recordSize)
    cipher = RecordCipher(RecordKeys(key, salt: salt), encrypts: true)
    self.maximumCount = maximumCount ?? layout.maximumCount
    switch padding.amount {
    case .bytes(let count): (self.padding, multiple) = (count, 1)
    case .multiple(let count): (self.padding, multiple) = (0, count)
    }
  }

  /// Encrypts the next piece of the content, of any length.
  /// - Returns: The records that are full. The header comes before them in the first output.
  /// - Throws: `.tooManyRecords`, also from all later calls: send the content in parts. `.misused` after
  ///   `finish()`.
  public mutating func update(_ piece: Data) throws(SigningError) -> Data {
    let records = layout.fullRecordCount(content: pending.count + piece.count, padding: padding)
    var output = try begin(records)
    excess = (excess + piece.count % multiple) % multiple
    piece.withUnsafeBytes { piece in
      var rest = piece[...]
      for _ in 0..<records {
        let count = layout.contentCount(padding: padding)
        let taken = rest.prefix(count - pending.count)
        append(UnsafeRawBufferPointer(rebasing: taken), .more, to: &output)
        rest = rest.dropFirst(taken.count)
      }
      pending.append(contentsOf: rest)
    }
    return output.data()
  }

  /// Encrypts the rest of the content.
  /// - Returns: The last record. Records of padding come before it, and the header, unless `update(_:)`
  ///   returned it.
  /// - Throws: `.tooManyRecords`; `.misused` if the encoder is finished already.
  public mutating func finish() throws(SigningError) -> Data {
    padding += (multiple - excess) % multiple
    excess = 0
    let records = max(1, (pending.count + padding + layout.capacity - 1) / layout.capacity)
    var output = try begin(records)
    end = SigningError(
      .misused, "the encrypted content is finished already; make another encoder for other content")
    for _ in 1..<records { append(UnsafeRawBufferPointer(start: nil, count: 0), .more, to: &output) }
    append(UnsafeRawBufferPointer(start: nil, count: 0), .last, to: &output)
    return output.data()
  }

  /// The number of bytes that wait for the rest of their record.
  var heldCount: Int { pending.count }

  /// Returns memory for `records` records. Writes the header into it if the header is not written yet.
  private mutating func begin(_ records: Int) throws(SigningError) -> OutputBuffer {
    if let end { throw end }
    guard UInt64(records) <= maximumCount - number else {
      // After a retry the content would lack this piece in its middle, so the error stays.
      let error = SigningError(
        .tooManyRecords,
        "the content needs more records than can be encrypted safely with one key; send it in parts, or with a "
          + "larger record size")
      end = error
      throw error
    }
    let beginning = hasBegun ? Data() : header.bytes
    hasBegun = true
    var output = OutputBuffer(capacity: beginning.count + records * layout.recordSize)
    output.append(beginning)
    return output
  }

  /// Appends a record with the pending content, more content, and as much padding as fits.
  private mutating func append(
    _ content: UnsafeRawBufferPointer, _ delimiter: RecordLayout.Delimiter, to output: inout OutputBuffer
  ) {
    let zeros = min(padding, layout.capacity - pending.count - content.count)
    let record = output.grow(by: pending.count + content.count + zeros + RecordLayout.overhead)
    let end = pending.count + content.count
    record[end] = delimiter.rawValue
    UnsafeMutableRawBufferPointer(rebasing: record.dropFirst(end + 1).prefix(zeros)).initializeMemory(
      as: UInt8.self, repeating: 0)
    pending.withUnsafeBytes { cipher.seal($0, content, record, number: number) }
    number += 1
    padding -= zeros
    pending.removeAll(keepingCapacity: true)
  }
}
