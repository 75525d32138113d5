// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The declarations of Security that this package uses. Arrays, data and strings of Core Foundation are Swift's here: see Foundation.swift.

public import Darwin
public import FoundationEssentials

public typealias CFArray = [AnyObject]
public typealias CFData = Data
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFString = String

public class CFError: Error, @unchecked Sendable {}

public class SecTrust {}
public class SecCertificate {}
public class SecKey {}

public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { absent() }
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { absent() }
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { absent() }
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { absent() }

public var kSecAttrKeyType: CFString { absent() }
public var kSecAttrKeyTypeRSA: CFString { absent() }
public var kSecAttrKeyTypeECSECPrimeRandom: CFString { absent() }
public var kSecAttrKeySizeInBits: CFString { absent() }
