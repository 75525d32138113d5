import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Request {
  /// Makes the client's request from a session's.
  /// - Parameters:
  ///   - body: The body of the session's request.
  ///   - priority: The priority of the session's task, from 0 to 1.
  ///   - retry: The client's policy.
  init(_ original: URLRequest, body: RequestBody, priority: Float, retry: RetryPolicy = RetryPolicy()) throws
  {
    guard let url = original.url else { throw URLError(.badURL) }
    var fields = HTTPFields()
    for (name, value) in (original.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      // The transport sets the length.
      if name.lowercased() != "content-length" { fields.append(name, value) }
    }
    #if canImport(FoundationNetworking)
      if fields.contains(URLRequest.additionsField) {
        guard original.additions != nil else { throw URLError(.resourceUnavailable) }
        fields.remove(URLRequest.additionsField)
      }
    #endif
    var request = Request(HTTPMethod(original.httpMethod ?? "GET"), url, fields: fields, body: body)
    // Like URLSession, this adds a type to a body without one.
    if !fields.contains("Content-Type"), original.httpBody != nil {
      request.fields.append("Content-Type", "application/x-www-form-urlencoded")
    }
    // 60 s is the default of a `URLRequest`. The client's time-out applies then.
    if original.timeoutInterval != 60, original.timeoutInterval > 0 {
      // "Forever" is a number that exceeds `Duration`.
      request = request.timeout(.seconds(min(original.timeoutInterval, 1_000_000_000)))
    }
    request = request.priority(Priority(task: priority)).acceptingAnyStatus()
    request = (original.additions?.changes ?? []).reduce(request) { $1($0) }
    if original.ignoresCache {
      request.options.caching?.policy = .networkOnly
      // For the HTTP cache, and for those on the way, as URLSession does.
      if request.options.caching == nil, !request.fields.contains("Cache-Control") {
        request.fields.append("Cache-Control", "no-cache")
      }
    }
    let statuses = (request.options.retry ?? retry).statuses
    self = request.validate { response in
      if statuses.contains(response.status.code) { throw RefusedResponse(response: response) }
    }
  }

  /// Returns the request without the validator, which cannot be stored.
  var stored: Request {
    var request = self
    request.options.validator = ResponseValidator()
    return request
  }

}

extension URLRequest {
  /// Returns the client's body, and the request with its stream read, if the body fits in memory. A stream
  /// that stays in the request has been read from, and cannot be sent again.
  func readingBody() async throws -> (RequestBody, URLRequest) {
    if let data = httpBody { return (.bytes(data), self) }
    guard let stream = httpBodyStream else { return (.none, self) }
    let length = value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
    let reader = StreamChunks(stream)
    let (beginning, isWhole) = try await reader.read(atMost: 1 << 20)
    guard isWhole else {
      return (.stream(StreamBody(beginning: beginning, rest: reader), length: length), self)
    }
    var whole = self
    whole.httpBodyStream = nil
    whole.httpBody = beginning
    return (.bytes(beginning), whole)
  }
}

extension URLRequest {
  fileprivate var ignoresCache: Bool {
    [.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData]
      .contains(cachePolicy)
  }
}

/// A response whose status is retried. If it is the last, the session receives it.
struct RefusedResponse: Error {
  let response: Response
}

extension Priority {
  /// Makes the priority that corresponds to that of a session's task, whose default is 0.5.
  init(task: Float) {
    switch task {
    case ..<0.25: self = .background
    case ..<0.5: self = .utility
    case ...0.5: self = .default
    default: self = .userInitiated
    }
  }
}
