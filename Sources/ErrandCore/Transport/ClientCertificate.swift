#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A client's certificate with its private key, as PEM or PKCS #12. The format is detected from the contents.
///
/// In PEM, the client's certificate comes first, and those of intermediate authorities follow. The key is in
/// the same file or in a separate one, and may be encrypted. A transport reads the files once, when it is
/// created. No description shows a password or a key.
///
/// `CurlTransport` supports both formats on Linux. URLSession supports PKCS #12 on Apple's platforms, and no
/// certificate on Linux.
public struct ClientCertificate: Sendable, Hashable {
  package enum Source: Sendable, Hashable {
    case file(String)
    case contents(Data)
  }

  package let certificate: Source
  /// The private key; nil if the certificate's source contains it.
  package let key: Source?
  package let password: String?

  /// Creates a certificate that a transport reads from files.
  /// - Parameters:
  ///   - file: The path of the file with the certificate, at most 1 MiB.
  ///   - keyFile: The path of the file with the key (PEM), at most 1 MiB. Default: nil, if `file` contains
  ///     the key.
  ///   - password: The password of the key, or of the PKCS #12 file. Default: nil.
  public init(file: String, keyFile: String? = nil, password: String? = nil) {
    certificate = .file(file)
    key = keyFile.map(Source.file)
    self.password = password
  }

  /// Creates a certificate from data in memory.
  /// - Parameters:
  ///   - contents: The contents of a certificate's file, at most 1 MiB.
  ///   - key: The contents of a key's file (PEM), at most 1 MiB. Default: nil, if `contents` includes the key.
  ///   - password: The password of the key, or of the PKCS #12 data. Default: nil.
  public init(_ contents: Data, key: Data? = nil, password: String? = nil) {
    certificate = .contents(contents)
    self.key = key.map(Source.contents)
    self.password = password
  }
}

extension ClientCertificate {
  private init(_ certificate: Source, _ key: Source?, _ password: String?) {
    (self.certificate, self.key, self.password) = (certificate, key, password)
  }

  /// Returns the same certificate with the password of its key.
  package func decrypted(with password: String) -> ClientCertificate {
    ClientCertificate(certificate, key, password)
  }

  /// The most bytes that a certificate or a key may have.
  package static let maximumLength = 1 << 20

  /// The parts of a client's certificate, before a library of the system parses them.
  package struct Contents {
    package let certificate: Data
    /// The private key; nil if `certificate` contains it.
    package let key: Data?
    package let password: String?
    package let isPEM: Bool
  }

  /// Reads the files.
  /// - Throws: `TLSProblem` for a file that cannot be read, and for a combination that cannot be used.
  package func read() throws(TLSProblem) -> Contents {
    if password?.utf8.contains(0) ?? false {
      throw TLSProblem("the password of the client's certificate contains NUL; give a password without it")
    }
    let certificate = try Self.read(certificate, "the client's certificate")
    let isPEM = certificate.firstRange(of: Data("-----BEGIN ".utf8)) != nil
    guard isPEM || key == nil else {
      throw TLSProblem(
        "a separate key is for PEM only, but the client's certificate is not PEM; a PKCS #12 file contains its key"
      )
    }
    var keyBytes: Data?
    if let key { keyBytes = try Self.read(key, "the key of the client's certificate") }
    return Contents(certificate: certificate, key: keyBytes, password: password, isPEM: isPEM)
  }

  private static func read(_ source: Source, _ name: String) throws(TLSProblem) -> Data {
    switch source {
    case .contents(let data):
      guard 1...maximumLength ~= data.count else {
        throw TLSProblem("\(name) has \(data.count) bytes; it must have 1 to \(maximumLength)")
      }
      return data
    case .file(let path):
      guard !path.isEmpty, !path.utf8.contains(0) else {
        throw TLSProblem("\(name) has no file: the path is empty, or contains NUL")
      }
      let data: Data
      do {
        data = try FileDescriptor.contents(of: path, limit: maximumLength)
      } catch {
        throw TLSProblem("\(name) cannot be read: \(error)")
      }
      if data.isEmpty {
        throw TLSProblem("\(name), \(path), has 0 bytes; it must have 1 to \(maximumLength)")
      }
      return data
    }
  }
}

extension ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    if case .file(let path) = certificate {
      LogText.line("the client's certificate in \(path)")
    } else {
      "a client's certificate"
    }
  }

  public var debugDescription: String { "ClientCertificate(\(description))" }
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The reason why a TLS configuration cannot be used. Its description shows no secrets.
package struct TLSProblem: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
