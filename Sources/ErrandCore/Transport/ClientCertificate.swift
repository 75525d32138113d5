#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A client's own certificate with its private key, as PEM or PKCS #12: which of them, the contents tell.
///
/// In PEM, the client's certificate comes first and those of the authorities in between follow; the key is in the same
/// place or in one of its own, and may be encrypted. A transport reads the files once, when it is made. No description
/// shows a password or a key.
///
/// `CurlTransport` takes both forms on Linux. URLSession takes PKCS #12 on Apple's platforms, and no certificate on
/// Linux.
public struct ClientCertificate: Sendable, Hashable {
  package enum Source: Sendable, Hashable {
    case file(String)
    case contents(Data)
  }

  package let certificate: Source
  /// Nil if the key is beside the certificate.
  package let key: Source?
  package let password: String?

  /// - Parameters:
  ///   - file: The path of the certificate's file.
  ///   - keyFile: The path of the key's file (PEM). Default: the key is in `file`.
  ///   - password: The password that the key, or the PKCS #12 file, is encrypted with. Default: nil.
  public init(file: String, keyFile: String? = nil, password: String? = nil) {
    certificate = .file(file)
    key = keyFile.map(Source.file)
    self.password = password
  }

  /// - Parameters:
  ///   - contents: What is in a certificate's file.
  ///   - key: What is in a key's file (PEM). Default: the key is in `contents`.
  ///   - password: The password that the key, or PKCS #12, is encrypted with. Default: nil.
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

  /// The length, in bytes, above which nothing is read.
  package static let maximumLength = 1 << 20

  /// The parts of a client's certificate that are read before a library of the system's takes it.
  package struct Contents {
    package let certificate: Data
    /// Nil if the key is beside the certificate.
    package let key: Data?
    package let password: String?
    package let isPEM: Bool
  }

  /// Reads the files.
  package func read() throws(TLSProblem) -> Contents {
    if password?.utf8.contains(0) ?? false {
      throw TLSProblem("the password of the client's certificate contains NUL, which none can")
    }
    let certificate = try Self.read(certificate, "the client's certificate")
    let isPEM = certificate.firstRange(of: Data("-----BEGIN ".utf8)) != nil
    guard isPEM || key == nil else {
      throw TLSProblem(
        "the client's certificate is no PEM, and a key of its own goes with PEM only; PKCS #12 has its key inside"
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
        throw TLSProblem("\(name) has \(data.count) bytes; it takes 1 to \(maximumLength)")
      }
      return data
    case .file(let path):
      guard !path.isEmpty, !path.utf8.contains(0) else { throw TLSProblem("\(name) has no file that can be") }
      let data: Data
      do {
        data = try FileDescriptor.contents(of: path, limit: maximumLength)
      } catch {
        throw TLSProblem("\(name) cannot be read: \(error)")
      }
      if data.isEmpty { throw TLSProblem("\(name), \(path), has 0 bytes; it takes 1 to \(maximumLength)") }
      return data
    }
  }
}

extension ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    if case .file(let path) = certificate {
      "the client's certificate in \(path)"
    } else {
      "a client's certificate"
    }
  }

  public var debugDescription: String { "ClientCertificate(\(description))" }
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The reason why a TLS configuration cannot be used: a sentence without secrets.
package struct TLSProblem: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
