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

public struct SHA512Digest: Digest {
  public func makeIterator() -> Array<UInt8>.Iterator { absent() }
}

public struct SHA512: HashFunction, Sendable {
  public typealias Digest = SHA512Digest
  public init() { absent() }
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) { absent() }
  public func finalize() -> SHA512Digest { absent() }
}

public enum Insecure {
  public struct MD5Digest: Digest {
    public func makeIterator() -> Array<UInt8>.Iterator { absent() }
  }

  public struct MD5: HashFunction, Sendable {
    public typealias Digest = MD5Digest
    public init() { absent() }
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { absent() }
    public func finalize() -> MD5Digest { absent() }
  }
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

    public static func seal<Plaintext: DataProtocol>(
      _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil
    ) throws -> SealedBox { absent() }

    public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data { absent() }

    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
      _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil,
      authenticating authenticatedData: AuthenticatedData
    ) throws -> SealedBox { absent() }

    public static func open<AuthenticatedData: DataProtocol>(
      _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: AuthenticatedData
    ) throws -> Data { absent() }
  }
}

public protocol MessageAuthenticationCode: Hashable, ContiguousBytes, Sequence where Element == UInt8 {
  var byteCount: Int { get }
}

public struct HashedAuthenticationCode<H: HashFunction>: MessageAuthenticationCode {
  public var byteCount: Int { absent() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { absent() }
  public func makeIterator() -> Array<UInt8>.Iterator { absent() }
  public static func == (a: Self, b: Self) -> Bool { absent() }
  public func hash(into hasher: inout Hasher) { absent() }
}

public struct HMAC<H: HashFunction>: Sendable {
  public typealias MAC = HashedAuthenticationCode<H>
  public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC {
    absent()
  }
}

public enum Curve25519 {
  public enum Signing {
    public struct PrivateKey: Sendable {
      public init<D: ContiguousBytes>(rawRepresentation: D) throws { absent() }
      public var publicKey: PublicKey { absent() }
      public func signature<D: DataProtocol>(for data: D) throws -> Data { absent() }
    }

    public struct PublicKey: Sendable {
      public init<D: ContiguousBytes>(rawRepresentation: D) throws { absent() }
      public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
        absent()
      }
    }
  }
}

public enum P256 {
  public enum Signing {
    public struct ECDSASignature: Sendable {
      public init<D: DataProtocol>(rawRepresentation: D) throws { absent() }
      public var rawRepresentation: Data { absent() }
    }

    public struct PrivateKey: Sendable {
      public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws
      where Bytes.Element == UInt8 {
        absent()
      }
      public var publicKey: PublicKey { absent() }
      public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { absent() }
    }

    public struct PublicKey: Sendable {
      public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws
      where Bytes.Element == UInt8 {
        absent()
      }
      public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool {
        absent()
      }
    }
  }
}

public enum P384 {
  public enum Signing {
    public struct ECDSASignature: Sendable {
      public init<D: DataProtocol>(rawRepresentation: D) throws { absent() }
      public var rawRepresentation: Data { absent() }
    }

    public struct PrivateKey: Sendable {
      public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws
      where Bytes.Element == UInt8 {
        absent()
      }
      public var publicKey: PublicKey { absent() }
      public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { absent() }
    }

    public struct PublicKey: Sendable {
      public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws
      where Bytes.Element == UInt8 {
        absent()
      }
      public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool {
        absent()
      }
    }
  }
}
