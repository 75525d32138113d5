// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// MARK: Protocols of sessions

public enum URLCacheStoragePolicy: UInt { case allowed, allowedInMemoryOnly, notAllowed }

public protocol URLProtocolClient: NSObject {
  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)
  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse,
    cacheStoragePolicy policy: URLCacheStoragePolicy)
  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
  func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)
}

open class URLProtocol: NSObject {
  open var client: (any URLProtocolClient)? { absent() }
  open var request: URLRequest { absent() }
  open var task: URLSessionTask? { absent() }
  open class func canInit(with request: URLRequest) -> Bool { absent() }
  open class func canonicalRequest(for request: URLRequest) -> URLRequest { absent() }
  open func startLoading() { absent() }
  open func stopLoading() { absent() }
  open class func property(forKey key: String, in request: URLRequest) -> Any? { absent() }
  open class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) { absent() }
}
