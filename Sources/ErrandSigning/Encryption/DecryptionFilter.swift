import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decrypts responses with the content coding `aes128gcm`.
struct DecryptionFilter: ResponseFilter {
  let keys: any ContentKeyProvider
  let isRequired: Bool
  let maximumRecordSize: Int

  /// Distinguishes the filter from others whose keys have no identity.
  private let number = UInt64.random(in: 0...(.max))

  init(keys: any ContentKeyProvider, isRequired: Bool, maximumRecordSize: Int) {
    self.keys = keys
    self.isRequired = isRequired
    self.maximumRecordSize = maximumRecordSize
  }

  var identity: String {
    "decryption\(isRequired ? "" : " if it is encrypted") \(keys.identity.map { "with \($0)" } ?? "by \(number)")"
  }

  func prepare(_ fields: inout HTTPFields) {
    // A digest asks for `identity`, which rules out compression but not encryption.
    if fields["Accept-Encoding"] ?? "identity" == "identity" {
      fields.set("Accept-Encoding", EncryptedBodyCoding.name)
    }
  }

  func begin(_ response: FilteredResponse) throws -> (any BodyFilter)? {
    guard isRequired, !response.codings.contains(EncryptedBodyCoding.name) else { return nil }
    throw RequestError(
      .decryptionFailed,
      message:
        "the response is not encrypted (Content-Encoding: aes128gcm), but has to be; a third party may have written "
        + "it. Have the server encrypt it, or use decrypting(with:isRequired: false)",
      status: response.head.status, fields: response.head.fields, reachedServer: true)
  }

  func decoder(of coding: String, _ response: FilteredResponse) -> (any BodyFilter)? {
    coding == EncryptedBodyCoding.name ? DecryptedBody(keys, maximumRecordSize: maximumRecordSize) : nil
  }
}

/// Decrypts one body.
// Its variables need no lock: the response's sink calls one method after another, and awaits `work` before the next.
final class DecryptedBody: BodyFilter {
  private let keys: any ContentKeyProvider
  private nonisolated(unsafe) var decoder: AES128GCMDecoder
  private nonisolated(unsafe) var content = Data()

  init(_ keys: any ContentKeyProvider, maximumRecordSize: Int) {
    self.keys = keys
    decoder = AES128GCMDecoder(maximumRecordSize: maximumRecordSize)
  }

  var work: (@Sendable () async throws -> Void)? {
    guard let id = decoder.neededKeyID else { return nil }
    return { [self] in
      do {
        content = try decoder.use(await keys.contentKey(for: id))
      } catch {
        throw Self.failed(error)
      }
    }
  }

  func put(_ bytes: Data) throws {
    do { content.append(try decoder.update(bytes)) } catch { throw Self.failed(error) }
  }

  func take() -> Data? {
    guard !content.isEmpty else { return nil }
    defer { content = Data() }
    return content
  }

  func end() throws {
    do { content.append(try decoder.finish()) } catch { throw Self.failed(error) }
  }

  /// - Parameter error: The decoder's error, or that of the application's keys, which the message does not
  ///   show.
  private static func failed(_ error: any Error) -> RequestError {
    let reason = (error as? SigningError).map { "\($0)" } ?? "its key could not be found"
    return RequestError(
      .decryptionFailed, message: "the response's body cannot be decrypted: \(reason)", reachedServer: true,
      underlying: error)
  }
}
