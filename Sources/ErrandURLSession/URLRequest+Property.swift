#if canImport(Darwin)
  package import Foundation

  extension URLRequest {
    /// Marks the requests that a transport sends, so that `ErrandURLProtocol` ignores them.
    package static let sentByTransport = "errand.sent-by-transport"

    /// Returns the request with a property that `URLProtocol` classes can read.
    package func withProperty(_ key: String, _ value: Any) -> URLRequest {
      guard let object = ((self as AnyObject) as? NSURLRequest)?.mutableCopy() as? NSMutableURLRequest else {
        return self
      }
      URLProtocol.setProperty(value, forKey: key, in: object)
      return (object as AnyObject) as? URLRequest ?? self
    }
  }
#endif
