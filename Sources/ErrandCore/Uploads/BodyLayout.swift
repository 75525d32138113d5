#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The structure of a body, for code that stores it to send it later unchanged.
package enum BodyLayout: Sendable {
  case none
  case bytes(Data)
  case file(path: String)
  /// A form, with its boundaries written out.
  case multipart([BodySegment])
  /// A stream, which can be read once.
  case stream
  /// A body that is opened anew for each attempt by code, which cannot be stored.
  case source
  case invalid(reason: String)
}

extension Body {
  package var layout: BodyLayout {
    switch content {
    case .none: .none
    case .bytes(let data): .bytes(data)
    case .file(let path): .file(path: path)
    case .multipart(let form): .multipart(form.segments)
    case .stream: .stream
    case .source: .source
    case .invalid(let reason): .invalid(reason: reason)
    }
  }
}
