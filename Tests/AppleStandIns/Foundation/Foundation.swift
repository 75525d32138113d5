// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Foundation on Apple's platforms: FoundationEssentials, and the declarations that this package uses of the
// rest. Types that Swift bridges (CFString and String, NSData and Data) are aliases of each other, because
// Linux has no bridging.

@_exported public import Darwin
@_exported public import Dispatch
@_exported public import FoundationEssentials
public import Security

// MARK: Objects and errors

open class NSObject: Equatable, Hashable {
  public init() { absent() }
  public static func == (a: NSObject, b: NSObject) -> Bool { absent() }
  public func hash(into hasher: inout Hasher) { absent() }
}

open class NSError: NSObject, Error, @unchecked Sendable {
  public init(domain: String, code: Int, userInfo dict: [String: Any]? = nil) { absent() }
  open var domain: String { absent() }
  open var code: Int { absent() }
  open var userInfo: [String: Any] { absent() }
  open var localizedDescription: String { absent() }
}

public var NSUnderlyingErrorKey: String { absent() }
public var NSLocalizedDescriptionKey: String { absent() }
public var NSPOSIXErrorDomain: String { absent() }

// Called by the compiler where an error becomes an NSError.
public func _convertErrorToNSError(_ error: any Error) -> NSError { absent() }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { absent() }

extension Error {
  public var localizedDescription: String { absent() }
}

public struct URLError: Error, Hashable, Sendable {
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static var appTransportSecurityRequiresSecureConnection: Code { absent() }
    public static var badServerResponse: Code { absent() }
    public static var badURL: Code { absent() }
    public static var callIsActive: Code { absent() }
    public static var cancelled: Code { absent() }
    public static var cannotConnectToHost: Code { absent() }
    public static var cannotDecodeContentData: Code { absent() }
    public static var cannotDecodeRawData: Code { absent() }
    public static var cannotFindHost: Code { absent() }
    public static var cannotParseResponse: Code { absent() }
    public static var clientCertificateRejected: Code { absent() }
    public static var clientCertificateRequired: Code { absent() }
    public static var dataLengthExceedsMaximum: Code { absent() }
    public static var dataNotAllowed: Code { absent() }
    public static var dnsLookupFailed: Code { absent() }
    public static var internationalRoamingOff: Code { absent() }
    public static var networkConnectionLost: Code { absent() }
    public static var notConnectedToInternet: Code { absent() }
    public static var secureConnectionFailed: Code { absent() }
    public static var serverCertificateHasBadDate: Code { absent() }
    public static var serverCertificateHasUnknownRoot: Code { absent() }
    public static var serverCertificateNotYetValid: Code { absent() }
    public static var serverCertificateUntrusted: Code { absent() }
    public static var timedOut: Code { absent() }
    public static var cannotOpenFile: Code { absent() }
    public static var fileDoesNotExist: Code { absent() }
    public static var noPermissionsToReadFile: Code { absent() }
    public static var cannotWriteToFile: Code { absent() }
    public static var httpTooManyRedirects: Code { absent() }
    public static var redirectToNonExistentLocation: Code { absent() }
    public static var requestBodyStreamExhausted: Code { absent() }
    public static var resourceUnavailable: Code { absent() }
    public static var unknown: Code { absent() }
    public static var userAuthenticationRequired: Code { absent() }
    public static var userCancelledAuthentication: Code { absent() }
    public static var unsupportedURL: Code { absent() }
  }

  public init(_ code: Code, userInfo: [String: Any] = [:]) { absent() }
  public var code: Code { absent() }
  public static func == (a: URLError, b: URLError) -> Bool { absent() }
  public func hash(into hasher: inout Hasher) { absent() }
}

// MARK: Files, streams, threads

extension FileAttributeKey {
  public static var protectionKey: FileAttributeKey { absent() }
}

public struct FileProtectionType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static var completeUntilFirstUserAuthentication: FileProtectionType { absent() }
}

public struct URLResourceValues {
  public init() { absent() }
  public var isExcludedFromBackup: Bool?
}

extension URL {
  public mutating func setResourceValues(_ values: URLResourceValues) throws { absent() }
}

open class FileHandle: NSObject, @unchecked Sendable {
  public convenience init?(forWritingAtPath path: String) { absent() }
  public func write<T: DataProtocol>(contentsOf data: T) throws { absent() }
  public func close() throws { absent() }
}

open class Stream: NSObject {
  open var streamError: (any Error)? { absent() }
  open func open() { absent() }
  open func close() { absent() }
  public class func getBoundStreams(
    withBufferSize bufferSize: Int, inputStream: AutoreleasingUnsafeMutablePointer<InputStream?>?,
    outputStream: AutoreleasingUnsafeMutablePointer<OutputStream?>?
  ) { absent() }
}

open class InputStream: Stream {
  open func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { absent() }
}

open class OutputStream: Stream {
  open func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int { absent() }
}

/// A pointer to a variable of a class type that is passed with `&`. Linux has no such type.
public typealias AutoreleasingUnsafeMutablePointer = UnsafeMutablePointer

open class Thread: NSObject {
  open class var isMainThread: Bool { absent() }
  @preconcurrency open class func detachNewThread(_ block: @escaping @Sendable () -> Void) { absent() }
}

public struct RunLoopMode: Hashable, Sendable {
  public static var `default`: RunLoopMode { absent() }
  public static var common: RunLoopMode { absent() }
}

public final class CFRunLoop {}
public func CFRunLoopWakeUp(_ rl: CFRunLoop!) { absent() }

open class RunLoop: NSObject {
  public typealias Mode = RunLoopMode
  open class var current: RunLoop { absent() }
  open var currentMode: RunLoop.Mode? { absent() }
  open func perform(inModes modes: [RunLoop.Mode], block: @escaping @Sendable () -> Void) { absent() }
  open func getCFRunLoop() -> CFRunLoop { absent() }
}

open class OperationQueue: NSObject, @unchecked Sendable {
  public override init() { absent() }
  @preconcurrency open func addOperation(_ block: @escaping @Sendable () -> Void) { absent() }
  open var maxConcurrentOperationCount: Int {
    get { absent() }
    set { absent() }
  }
}
