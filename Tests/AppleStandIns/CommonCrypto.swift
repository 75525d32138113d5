// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The declarations of CommonCrypto that this package uses.

public import Darwin

public typealias CCPBKDFAlgorithm = UInt32
public typealias CCPseudoRandomAlgorithm = UInt32
public typealias CCOperation = UInt32
public typealias CCAlgorithm = UInt32
public typealias CCOptions = UInt32
public typealias CCCryptorStatus = Int32

public var kCCSuccess: Int { absent() }
public var kCCPBKDF2: Int { absent() }
public var kCCPRFHmacAlgSHA1: Int { absent() }
public var kCCPRFHmacAlgSHA256: Int { absent() }
public var kCCPRFHmacAlgSHA384: Int { absent() }
public var kCCPRFHmacAlgSHA512: Int { absent() }
public var kCCDecrypt: Int { absent() }
public var kCCAlgorithmAES: Int { absent() }
public var kCCOptionPKCS7Padding: Int { absent() }

@discardableResult
public func CCKeyDerivationPBKDF(
  _ algorithm: CCPBKDFAlgorithm, _ password: UnsafePointer<CChar>!, _ passwordLen: Int,
  _ salt: UnsafePointer<UInt8>!, _ saltLen: Int, _ prf: CCPseudoRandomAlgorithm, _ rounds: UInt32,
  _ derivedKey: UnsafeMutablePointer<UInt8>!, _ derivedKeyLen: Int
) -> Int32 { absent() }

@discardableResult
public func CCCrypt(
  _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
  _ iv: UnsafeRawPointer!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int,
  _ dataOut: UnsafeMutableRawPointer!, _ dataOutAvailable: Int, _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus { absent() }
