// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The declarations of Security that this package uses. Arrays, data and strings of Core Foundation are
// Swift's types here: see Foundation.swift.

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
public class SecIdentity {}

public typealias OSStatus = Int32
public var errSecSuccess: OSStatus { absent() }
public var errSecAuthFailed: OSStatus { absent() }
public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus { absent() }
public var kSecImportExportPassphrase: CFString { absent() }
public var kSecImportToMemoryOnly: CFString { absent() }
public var kSecImportItemIdentity: CFString { absent() }
public var kSecImportItemCertChain: CFString { absent() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { absent() }

/// From Apple's <Security/SecProtocolTypes.h>.
public enum tls_protocol_version_t: UInt16, Sendable { case TLSv10, TLSv11, TLSv12, TLSv13 }

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
public var kSecAttrKeyClass: CFString { absent() }
public var kSecAttrKeyClassPrivate: CFString { absent() }
public var kSecAttrKeyClassPublic: CFString { absent() }

public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
  public let rawValue: CFString
  public init(rawValue: CFString) { absent() }
  public static var rsaSignatureMessagePKCS1v15SHA256: SecKeyAlgorithm { absent() }
  public static var rsaSignatureMessagePSSSHA512: SecKeyAlgorithm { absent() }
}

public enum SecKeyOperationType: Int, Sendable { case sign, verify, encrypt, decrypt, keyExchange }

public func SecKeyCreateWithData(
  _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? { absent() }
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { absent() }
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { absent() }
public func SecKeyIsAlgorithmSupported(
  _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool { absent() }
public func SecKeyCreateSignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { absent() }
public func SecKeyVerifySignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool { absent() }

/// AnyObject, to which Swift's own values are bridged.
public typealias CFTypeRef = Any

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
  -> OSStatus
{
  absent()
}
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  absent()
}
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { absent() }
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  absent()
}

public var errSecItemNotFound: OSStatus { absent() }
public var errSecDuplicateItem: OSStatus { absent() }
public var errSecDecode: OSStatus { absent() }

public var kSecClass: CFString { absent() }
public var kSecClassGenericPassword: CFString { absent() }
public var kSecAttrService: CFString { absent() }
public var kSecAttrAccount: CFString { absent() }
public var kSecAttrAccessGroup: CFString { absent() }
public var kSecAttrAccessible: CFString { absent() }
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { absent() }
public var kSecUseDataProtectionKeychain: CFString { absent() }
public var kSecMatchLimit: CFString { absent() }
public var kSecMatchLimitOne: CFString { absent() }
public var kSecReturnData: CFString { absent() }
public var kSecValueData: CFString { absent() }
