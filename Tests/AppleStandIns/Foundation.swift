// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Foundation on Apple's platforms: FoundationEssentials, and what this package uses of the rest. Values that Swift
// bridges (CFString and String, NSData and Data) are what they are bridged to, because Linux has no bridging.

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
    public static var unsupportedURL: Code { absent() }
  }

  public init(_ code: Code, userInfo: [String: Any] = [:]) { absent() }
  public var code: Code { absent() }
  public static func == (a: URLError, b: URLError) -> Bool { absent() }
  public func hash(into hasher: inout Hasher) { absent() }
}

// MARK: Files, streams, threads

open class FileHandle: NSObject, @unchecked Sendable {
  public convenience init?(forWritingAtPath path: String) { absent() }
  public func write<T: DataProtocol>(contentsOf data: T) throws { absent() }
  public func close() throws { absent() }
}

open class Stream: NSObject {
  open func open() { absent() }
  open func close() { absent() }
  public class func getBoundStreams(
    withBufferSize bufferSize: Int, inputStream: AutoreleasingUnsafeMutablePointer<InputStream?>?,
    outputStream: AutoreleasingUnsafeMutablePointer<OutputStream?>?
  ) { absent() }
}

open class InputStream: Stream {}

open class OutputStream: Stream {
  open func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int { absent() }
}

/// A pointer to a variable of a class that is passed with `&`. Linux has no such type.
public typealias AutoreleasingUnsafeMutablePointer = UnsafeMutablePointer

open class Thread: NSObject {
  open class var isMainThread: Bool { absent() }
  @preconcurrency open class func detachNewThread(_ block: @escaping @Sendable () -> Void) { absent() }
}

open class OperationQueue: NSObject, @unchecked Sendable {
  public override init() { absent() }
  @preconcurrency open func addOperation(_ block: @escaping @Sendable () -> Void) { absent() }
  open var maxConcurrentOperationCount: Int {
    get { absent() }
    set { absent() }
  }
}

// MARK: Requests and responses

public struct URLRequest: Equatable, Hashable, Sendable {
  public init(
    url: URL, cachePolicy: NSURLRequest.CachePolicy = .useProtocolCachePolicy,
    timeoutInterval: TimeInterval = 60.0
  ) { absent() }
  public var httpMethod: String?
  public var httpBody: Data?
  public var httpShouldHandleCookies: Bool
  public func value(forHTTPHeaderField field: String) -> String? { absent() }
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) { absent() }
}

open class NSURLRequest: NSObject, @unchecked Sendable {
  public enum CachePolicy: UInt, Sendable {
    case useProtocolCachePolicy, reloadIgnoringLocalCacheData, returnCacheDataElseLoad,
      returnCacheDataDontLoad
  }
}

open class URLResponse: NSObject, @unchecked Sendable {}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  open var statusCode: Int { absent() }
  open var allHeaderFields: [AnyHashable: Any] { absent() }
}

open class URLCache: NSObject, @unchecked Sendable {}
open class URLCredential: NSObject, @unchecked Sendable {
  public enum Persistence: UInt, Sendable { case none, forSession, permanent, synchronizable }
  public convenience init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) {
    absent()
  }
}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}

open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
extension HTTPCookie {
  public enum AcceptPolicy: UInt, Sendable { case always, never, onlyFromMainDocumentDomain }
}
open class HTTPCookie: NSObject, @unchecked Sendable {}

open class URLProtectionSpace: NSObject, @unchecked Sendable {
  open var serverTrust: SecTrust? { absent() }
  open var authenticationMethod: String { absent() }
  open var host: String { absent() }
  open func isProxy() -> Bool { absent() }
}

public var NSURLAuthenticationMethodServerTrust: String { absent() }
public var NSURLAuthenticationMethodClientCertificate: String { absent() }

open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
  open var protectionSpace: URLProtectionSpace { absent() }
}

// MARK: Sessions

open class URLSessionConfiguration: NSObject, @unchecked Sendable {
  open class var ephemeral: URLSessionConfiguration { absent() }
  open var urlCache: URLCache?
  open var requestCachePolicy: NSURLRequest.CachePolicy {
    get { absent() }
    set { absent() }
  }
  open var urlCredentialStorage: URLCredentialStorage?
  open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
    get { absent() }
    set { absent() }
  }
  open var httpCookieStorage: HTTPCookieStorage?
  open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
    get { absent() }
    set { absent() }
  }
  open var httpShouldSetCookies: Bool {
    get { absent() }
    set { absent() }
  }
  open var httpMaximumConnectionsPerHost: Int {
    get { absent() }
    set { absent() }
  }
  open var timeoutIntervalForRequest: TimeInterval {
    get { absent() }
    set { absent() }
  }
  open var timeoutIntervalForResource: TimeInterval {
    get { absent() }
    set { absent() }
  }
}

open class URLSession: NSObject, @unchecked Sendable {
  public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }
  public enum AuthChallengeDisposition: Int, Sendable {
    case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
  }

  public init(configuration: URLSessionConfiguration) { absent() }
  public init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    delegateQueue queue: OperationQueue?
  ) { absent() }
  open var delegateQueue: OperationQueue { absent() }
  open func finishTasksAndInvalidate() { absent() }
  open func invalidateAndCancel() { absent() }
  open func dataTask(with request: URLRequest) -> URLSessionDataTask { absent() }
  open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask { absent() }
  open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask { absent() }
}

open class URLSessionTask: NSObject, @unchecked Sendable {
  open func cancel() { absent() }
  open func suspend() { absent() }
  open func resume() { absent() }
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

// All methods of the delegates are optional for Objective-C, so a wrong signature would only never be called. Those that
// the package implements are required here, so that the compiler finds it.

public protocol URLSessionDelegate: NSObject, Sendable {}

public protocol URLSessionTaskDelegate: URLSessionDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  open var transactionMetrics: [URLSessionTaskTransactionMetrics] { absent() }
}

open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
  open var fetchStartDate: Date? { absent() }
  open var domainLookupStartDate: Date? { absent() }
  open var domainLookupEndDate: Date? { absent() }
  open var connectStartDate: Date? { absent() }
  open var secureConnectionStartDate: Date? { absent() }
  open var secureConnectionEndDate: Date? { absent() }
  open var connectEndDate: Date? { absent() }
  open var responseStartDate: Date? { absent() }
  open var networkProtocolName: String? { absent() }
  open var isReusedConnection: Bool { absent() }
  open var countOfRequestBodyBytesSent: Int64 { absent() }
  open var countOfResponseBodyBytesReceived: Int64 { absent() }
}

// MARK: User interfaces

public typealias CGFloat = Double

public struct CGSize: Sendable {
  public var width: CGFloat
  public var height: CGFloat
}

public struct CGRect: Sendable {
  public init(x: Double, y: Double, width: Double, height: Double) { absent() }
  public var size: CGSize
  public var width: CGFloat { absent() }
  public var height: CGFloat { absent() }
}

public typealias NSRect = CGRect

open class NSCoder: NSObject {}
open class Bundle: NSObject {}
