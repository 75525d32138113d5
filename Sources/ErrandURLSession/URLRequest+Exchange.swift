import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Our own watch is the time-out; URLSession's would be rounded, or be another.
  static let never: TimeInterval = 7 * 24 * 3600

  init(_ request: Exchange.Request) {
    self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: Self.never)
    httpMethod = request.method.rawValue
    httpShouldHandleCookies = false
    // Lines of one name are joined here, since URLSession leaves out the space.
    for field in request.fields where value(forHTTPHeaderField: field.name) == nil {
      setValue(request.fields[field.name], forHTTPHeaderField: field.name)
    }
  }
}

extension ResponseHead {
  /// The order of the fields and several lines of one name are lost in URLSession; here they are sorted by name.
  init(_ response: HTTPURLResponse) {
    var fields = HTTPFields()
    let lines = response.allHeaderFields.compactMap { name, value in
      (name as? String).map { ($0, String(describing: value)) }
    }
    for (name, value) in lines.sorted(by: { $0.0 < $1.0 }) { fields.append(name, value) }
    self.init(status: Status(response.statusCode), fields: fields)
  }
}
