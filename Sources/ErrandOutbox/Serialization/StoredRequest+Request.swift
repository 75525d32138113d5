import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StoredRequest {
  /// Returns the request to send.
  func request(opening opener: StoredBodyOpener) -> Request {
    var request = Request(method, url, fields: fields, body: body.body(opening: opener))
    if options != .none, let options = options.options { request.options = options }
    return request
  }
}

extension StoredBody {
  fileprivate func body(opening opener: StoredBodyOpener) -> Body {
    if kind == .none { return .none }
    if kind == .bytes, let contentType, let data = bytesAtHand {
      return .bytes(data, contentType: contentType)
    }
    return .source(length: length, contentType: contentType) { try opener.open() }
  }

  /// The whole body, unless it is in a file.
  private var bytesAtHand: Data? {
    switch segments.first {
    case nil: Data()
    case .bytes(let data): data
    case .file: nil
    }
  }
}
