#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a body consists of: for those who keep it, to send it later as it would have been sent now.
package enum BodyLayout: Sendable {
  case none
  case bytes(Data)
  case file(path: String)
  /// A form, its boundaries written out.
  case multipart([BodySegment])
  /// It can be read once.
  case stream
  /// It is opened anew for each try by code that cannot be kept.
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
