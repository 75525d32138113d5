#if !canImport(CryptoKit)
  import CCrypto
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The blocks of a PEM file (RFC 7468).
struct PEMFile {
  struct Block {
    let label: String
    /// True if the block has a header that marks OpenSSL's older encryption, from before PKCS #8.
    let isEncrypted: Bool
    let bytes: SecretBytes
  }

  /// The longest file that is read, in bytes.
  static let maximumLength = 64 << 10

  private let blocks: [Block]

  init(_ text: String) throws(SigningError) {
    guard text.utf8.count <= Self.maximumLength, let blocks = Self.blocks(text) else {
      throw SigningError(
        .invalidKey,
        "the text is not the PEM file of a key, or is damaged; pass the whole contents of the file, unchanged"
      )
    }
    self.blocks = blocks
  }

  /// Returns the only private key in the file.
  func privateKey() throws(SigningError) -> KeyDER {
    let keys = blocks.filter { Self.form(of: $0.label)?.isPrivate ?? false }
    guard let key = keys.first, let form = Self.form(of: key.label) else {
      if blocks.contains(where: { Self.form(of: $0.label) != nil }) {
        throw SigningError(
          .unsupportedKey,
          "this is a public key, but signing needs the private key; pass the file that it was made from")
      }
      throw missing("-----BEGIN PRIVATE KEY-----")
    }
    guard keys.count == 1 else { throw Self.several }
    guard !key.isEncrypted else {
      throw SigningError(
        .unsupportedKey,
        "the key is encrypted in a way that is no longer safe; convert it with \"openssl pkcs8 -topk8\", which asks "
          + "for the password")
    }
    return KeyDER(form, key.bytes)
  }

  /// Returns the only public key in the file, which must not contain a private key.
  func publicKey() throws(SigningError) -> KeyDER {
    guard !blocks.contains(where: { Self.form(of: $0.label)?.isPrivate ?? false }) else {
      throw SigningError(
        .unsupportedKey,
        "this is a private key, but a verifier must not have it; pass the output of \"openssl pkey -pubout\", or "
          + "the publicKey of a PrivateKey")
    }
    let keys = blocks.filter { Self.form(of: $0.label) != nil }
    guard let key = keys.first, let form = Self.form(of: key.label) else {
      throw missing("-----BEGIN PUBLIC KEY-----")
    }
    guard keys.count == 1 else { throw Self.several }
    return KeyDER(form, key.bytes)
  }

  private static func form(of label: String) -> KeyDER.Form? {
    switch label {
    case "PRIVATE KEY": .pkcs8
    case "ENCRYPTED PRIVATE KEY": .encryptedPKCS8
    case "EC PRIVATE KEY": .sec1
    case "RSA PRIVATE KEY": .pkcs1
    case "PUBLIC KEY": .spki
    case "RSA PUBLIC KEY": .publicPKCS1
    default: nil
    }
  }

  private static let several = SigningError(
    .invalidKey,
    "the file has more than one key; pass a file with one key")

  /// Returns an error that names the contents of a file without a key.
  private func missing(_ beginning: String) -> SigningError {
    let labels = Set(blocks.map(\.label))
    if labels.contains("OPENSSH PRIVATE KEY") {
      return SigningError(
        .unsupportedKey,
        "this is a key of OpenSSH; convert a copy of it with \"ssh-keygen -p -m PKCS8 -f FILE\"")
    }
    if labels.contains("CERTIFICATE") {
      return SigningError(
        .unsupportedKey,
        "this is a certificate, but a key is needed; take its public key out with \"openssl x509 -pubkey -noout\""
      )
    }
    if labels.isEmpty {
      return SigningError(
        .invalidKey, "the text has no key; pass the contents of a file with \(beginning) in it")
    }
    return SigningError(
      .unsupportedKey,
      "the file does not contain a key that can sign; pass the contents of a file with \(beginning) in it")
  }
}

#if canImport(CryptoKit)
  extension PEMFile {
    /// Returns nil if a block is incomplete.
    private static func blocks(_ text: String) -> [Block]? {
      var blocks: [Block] = []
      var (label, lines, isEncrypted) = (String?.none, [Substring](), false)
      for line in text.split(whereSeparator: \.isNewline) {
        if let name = Self.label(line, "BEGIN") {
          guard label == nil else { return nil }
          (label, lines, isEncrypted) = (name, [], false)
        } else if let name = Self.label(line, "END") {
          guard name == label, let bytes = Data(base64Encoded: lines.joined()) else { return nil }
          blocks.append(Block(label: name, isEncrypted: isEncrypted, bytes: SecretBytes(bytes)))
          label = nil
        } else if label != nil {
          if line.contains(":") {
            isEncrypted = isEncrypted || line.contains("ENCRYPTED")
          } else {
            lines.append(line)
          }
        }
      }
      return label == nil ? blocks : nil
    }

    private static func label(_ line: Substring, _ word: String) -> String? {
      let (start, end) = ("-----\(word) ", "-----")
      guard line.hasPrefix(start), line.hasSuffix(end), line.count > start.count + end.count else {
        return nil
      }
      return String(line.dropFirst(start.count).dropLast(end.count))
    }
  }
#else
  extension PEMFile {
    /// Returns nil if a block is incomplete.
    private static func blocks(_ text: String) -> [Block]? {
      var text = text
      return text.withUTF8 { text in
        guard let input = BIO_new_mem_buf(text.baseAddress, Int32(text.count)) else { return nil }
        defer {
          BIO_free(input)
          ERR_clear_error()
        }
        ERR_clear_error()
        var blocks: [Block] = []
        while let block = next(input) { blocks.append(block) }
        let reason = ERR_peek_last_error()
        return ERR_GET_LIB(reason) == ERR_LIB_PEM && ERR_GET_REASON(reason) == PEM_R_NO_START_LINE
          ? blocks : nil
      }
    }

    private static func next(_ input: OpaquePointer) -> Block? {
      var (name, header) = (UnsafeMutablePointer<CChar>?.none, UnsafeMutablePointer<CChar>?.none)
      var (data, count) = (UnsafeMutablePointer<UInt8>?.none, 0)
      guard PEM_read_bio(input, &name, &header, &data, &count) == 1, let name, let header, let data else {
        return nil
      }
      defer {
        errand_crypto_free(name)
        errand_crypto_free(header)
        errand_crypto_clear_free(data, count)
      }
      return Block(
        label: String(cString: name), isEncrypted: header.pointee != 0,
        bytes: SecretBytes(UnsafeRawBufferPointer(start: data, count: count)))
    }
  }
#endif
