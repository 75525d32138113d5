// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The declarations of CryptoKit that this package uses.

public import Darwin
public import Foundation

public protocol Digest: Hashable, Sequence<UInt8>, Sendable {}

public protocol HashFunction: Sendable {
  associatedtype Digest: CryptoKit.Digest
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Digest
}

extension HashFunction {
  public static func hash<D: DataProtocol>(data: D) -> Digest { absent() }
  public mutating func update<D: DataProtocol>(data: D) { absent() }
}

public struct SHA256Digest: Digest {
  public func makeIterator() -> Array<UInt8>.Iterator { absent() }
}

public struct SHA256: HashFunction, Sendable {
  public typealias Digest = SHA256Digest
  public init() { absent() }
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) { absent() }
  public func finalize() -> SHA256Digest { absent() }
}

public struct SymmetricKey: Sendable {
  public init<D: ContiguousBytes>(data: D) { absent() }
}

public enum CryptoKitError: Error { case incorrectKeySize, authenticationFailure }

public enum AES {
  public enum GCM {
    public struct Nonce: Sendable {
      public init() { absent() }
      public init<D: DataProtocol>(data: D) throws { absent() }
    }

    public struct SealedBox: Sendable {
      public var nonce: Nonce { absent() }
      public var ciphertext: Data { absent() }
      public var tag: Data { absent() }
      public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws { absent() }
    }

    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
      _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil,
      authenticating authenticatedData: AuthenticatedData
    ) throws -> SealedBox { absent() }

    public static func open<AuthenticatedData: DataProtocol>(
      _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: AuthenticatedData
    ) throws -> Data { absent() }
  }
}
