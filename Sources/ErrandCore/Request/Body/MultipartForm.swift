#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The fields and files of one form (`multipart/form-data`, RFC 7578). Files are read from disk while they
/// are sent; the total length is known before that.
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
    let name: String
    let fileName: String?
    let contentType: String?
    let content: Content

    var head: String {
      var head = "Content-Disposition: form-data; name=\"\(MultipartForm.escape(name))\""
      if let fileName { head += "; filename=\"\(MultipartForm.escape(fileName))\"" }
      head += "\r\n"
      if let contentType { head += "Content-Type: \(contentType)\r\n" }
      return head
    }
  }

  private(set) var parts: [Part] = []
  let boundary: String
  /// True if the boundary is random. It cannot be guessed then, so the content is not searched for it.
  private let isBoundaryRandom: Bool
  /// The reason why the form cannot be sent, or nil.
  private(set) var problem: String?

  /// Makes a form with a random boundary.
  public init() {
    boundary = "errand-\(UUID().uuidString)"
    isBoundaryRandom = true
  }

  /// Makes a form with the given boundary.
  /// - Parameter boundary: 1 to 70 characters as defined by RFC 2046. No file may contain it, which is not
  ///   checked. If a field or bytes contain it, sending the request throws an error.
  package init(boundary: String) {
    self.boundary = boundary
    isBoundaryRandom = false
    if !Self.isBoundary(boundary) {
      problem = "\(boundary.prefix(100).debugDescription) is not a valid multipart boundary (RFC 2046)"
    }
  }

  /// The media type with the boundary, which is quoted unless it is a token.
  var contentType: String {
    "multipart/form-data; boundary=" + (ASCII.isToken(boundary) ? boundary : "\"\(boundary)\"")
  }

  /// Adds a text field.
  public func field(_ name: String, _ value: String) -> MultipartForm {
    adding(name, fileName: nil, contentType: nil, .bytes(Data(value.utf8)))
  }

  /// Adds a part from bytes, such as a file that is in memory.
  public func bytes(
    _ name: String, _ data: Data, fileName: String? = nil, contentType: String = "application/octet-stream"
  ) -> MultipartForm {
    adding(name, fileName: fileName, contentType: contentType, .bytes(data))
  }

  /// Adds a file, which is read when the form is sent.
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - file: The URL of the file on disk.
  ///   - fileName: The file name sent to the server. Default: the file's own name.
  ///   - contentType: The media type. Default: derived from the file's extension.
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
    var copy = self
    copy.parts.append(Part(name: name, fileName: fileName, contentType: contentType, content: content))
    if copy.problem == nil { copy.problem = partProblem(name, contentType, content) }
    return copy
  }

  private func partProblem(_ name: String, _ contentType: String?, _ content: Content) -> String? {
    if let contentType, ASCII.hasControl(contentType) {
      return
        "the content type of the part \(name.debugDescription) contains a control character, such as CR, LF or NUL"
    }
    if !isBoundaryRandom, case .bytes(let data) = content,
      data.firstRange(of: Data("--\(boundary)".utf8)) != nil
    {
      return "the part \(name.debugDescription) contains the boundary; choose another boundary"
    }
    return nil
  }

  /// Returns true for a valid boundary (RFC 2046, section 5.1.1).
  private static func isBoundary(_ text: String) -> Bool {
    1...70 ~= text.utf8.count && text.utf8.last != 32
      && text.utf8.allSatisfy { byte in
        48...57 ~= byte || 97...122 ~= ASCII.lowered(byte) || " '()+_,-./:=?".utf8.contains(byte)
      }
  }

  /// Escapes names as the WHATWG HTML standard does, so that a name cannot end its quotes or its line. Other
  /// control characters are escaped as well.
  fileprivate static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "%22"
      case _ where scalar.value < 32 || scalar.value == 127:
        escaped += String(decoding: URLBytes.escape(UInt8(scalar.value)), as: UTF8.self)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
