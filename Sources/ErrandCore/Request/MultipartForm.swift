#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Fields and files of one form (`multipart/form-data`, RFC 7578). Files are read from disk while they are sent;
/// the length of the whole is known before.
///
/// ```swift
/// let form = MultipartForm().field("title", "Cat").file("photo", at: photoURL)
/// ```
public struct MultipartForm: Sendable, Hashable {
  enum Content: Sendable, Hashable {
    case bytes(Data)
    case file(path: String)
  }

  struct Part: Sendable, Hashable {
    let head: String
    let content: Content
  }

  private(set) var parts: [Part] = []
  let boundary: String

  /// - Parameter boundary: The line between parts. Default: a random one.
  public init(boundary: String = "errand-\(UUID().uuidString)") {
    self.boundary = boundary
  }

  /// Adds a field of text.
  public func field(_ name: String, _ value: String) -> MultipartForm {
    adding(name, fileName: nil, contentType: nil, .bytes(Data(value.utf8)))
  }

  /// Adds bytes as if they were a file.
  public func bytes(
    _ name: String, _ data: Data, fileName: String? = nil, contentType: String = "application/octet-stream"
  ) -> MultipartForm {
    adding(name, fileName: fileName, contentType: contentType, .bytes(data))
  }

  /// Adds a file.
  /// - Parameters:
  ///   - fileName: What the server is told. Default: the file's own name.
  ///   - contentType: Default: told from the file's extension.
  public func file(_ name: String, at file: URL, fileName: String? = nil, contentType: String? = nil)
    -> MultipartForm
  {
    let path = file.path
    return adding(
      name, fileName: fileName ?? file.lastPathComponent,
      contentType: contentType ?? MediaType.ofFile(named: path), .file(path: path))
  }

  private func adding(_ name: String, fileName: String?, contentType: String?, _ content: Content)
    -> MultipartForm
  {
    var head = "Content-Disposition: form-data; name=\"\(Self.escape(name))\""
    if let fileName { head += "; filename=\"\(Self.escape(fileName))\"" }
    head += "\r\n"
    if let contentType { head += "Content-Type: \(Self.escape(contentType))\r\n" }
    var copy = self
    copy.parts.append(Part(head: head, content: content))
    return copy
  }

  /// As the WHATWG HTML standard escapes names, so that none can end its own quotes or line.
  private static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "%22"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
