// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

public import Security

// MARK: Requests and responses

public struct URLRequest: Equatable, Hashable, Sendable {
  public init(
    url: URL, cachePolicy: NSURLRequest.CachePolicy = .useProtocolCachePolicy,
    timeoutInterval: TimeInterval = 60.0
  ) { absent() }
  public var url: URL?
  public var httpMethod: String?
  public var httpBody: Data?
  public var httpBodyStream: InputStream? {
    get { absent() }
    set { absent() }
  }
  public var allHTTPHeaderFields: [String: String]?
  public var cachePolicy: NSURLRequest.CachePolicy
  public var timeoutInterval: TimeInterval
  public var httpShouldHandleCookies: Bool
  public var allowsExpensiveNetworkAccess: Bool
  public var allowsConstrainedNetworkAccess: Bool
  public func value(forHTTPHeaderField field: String) -> String? { absent() }
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) { absent() }
}

open class NSURLRequest: NSObject, @unchecked Sendable {
  open func mutableCopy() -> Any { absent() }
  public enum CachePolicy: UInt, Sendable {
    case useProtocolCachePolicy = 0
    case reloadIgnoringLocalCacheData = 1
    case reloadIgnoringLocalAndRemoteCacheData = 4
    case returnCacheDataElseLoad = 2
    case returnCacheDataDontLoad = 3
    case reloadRevalidatingCacheData = 5
  }
}

open class NSMutableURLRequest: NSURLRequest, @unchecked Sendable {}

open class URLResponse: NSObject, @unchecked Sendable {}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  public init?(
    url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?
  ) { absent() }
  open func value(forHTTPHeaderField field: String) -> String? { absent() }
  open var statusCode: Int { absent() }
  open var allHeaderFields: [AnyHashable: Any] { absent() }
}

open class URLCache: NSObject, @unchecked Sendable {}
open class URLCredential: NSObject, @unchecked Sendable {
  open var user: String? { absent() }
  open var password: String? { absent() }
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
  public init(
    host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?
  ) { absent() }
  open var serverTrust: SecTrust? { absent() }
  open var authenticationMethod: String { absent() }
  open var host: String { absent() }
  open func isProxy() -> Bool { absent() }
}

public var NSURLErrorFailingURLErrorKey: String { absent() }

public var NSURLAuthenticationMethodHTTPBasic: String { absent() }
public var NSURLAuthenticationMethodServerTrust: String { absent() }
public var NSURLAuthenticationMethodClientCertificate: String { absent() }

public protocol URLAuthenticationChallengeSender: NSObject {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge)
  func performDefaultHandling(for challenge: URLAuthenticationChallenge)
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
  func cancel(_ challenge: URLAuthenticationChallenge)
}

open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
  public init(
    protectionSpace space: URLProtectionSpace, proposedCredential credential: URLCredential?,
    previousFailureCount: Int, failureResponse response: URLResponse?, error: (any Error)?,
    sender: any URLAuthenticationChallengeSender
  ) { absent() }
  open var protectionSpace: URLProtectionSpace { absent() }
}

// MARK: Sessions

open class URLSessionConfiguration: NSObject, @unchecked Sendable {
  open class var ephemeral: URLSessionConfiguration { absent() }
  open class func background(withIdentifier identifier: String) -> URLSessionConfiguration { absent() }
  open var sessionSendsLaunchEvents: Bool {
    get { absent() }
    set { absent() }
  }
  open var sharedContainerIdentifier: String?
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
  open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { absent() }
  open var allTasks: [URLSessionTask] { get async { absent() } }
  open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask { absent() }
}

open class URLSessionTask: NSObject, @unchecked Sendable {
  public enum State: Int, Sendable { case running, suspended, canceling, completed }
  open var taskIdentifier: Int { absent() }
  open var currentRequest: URLRequest? { absent() }
  open var response: URLResponse? { absent() }
  open var earliestBeginDate: Date?
  open var countOfBytesClientExpectsToSend: Int64 {
    get { absent() }
    set { absent() }
  }
  open var countOfBytesSent: Int64 { absent() }
  open var countOfBytesReceived: Int64 { absent() }
  open var taskDescription: String?
  open var state: URLSessionTask.State { absent() }
  open var priority: Float {
    get { absent() }
    set { absent() }
  }
  open func cancel() { absent() }
  open func suspend() { absent() }
  open func resume() { absent() }
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}

// All methods of the delegates are optional in Objective-C, so a method with a wrong signature would never be
// called. Those that the package implements are required here, so that the compiler finds it.

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

// `urlSessionDidFinishEvents` is a method of URLSessionDelegate; only delegates with background sessions must
// have it.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
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
