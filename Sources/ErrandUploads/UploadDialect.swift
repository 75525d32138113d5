import ErrandCore

/// A protocol for resumable uploads.
package enum UploadDialect: Sendable, Hashable {
  /// Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload) with this interop version.
  case ietf(Int)
  /// tus 1.0.
  case tus

  /// The versions of the draft that are spoken, the newest first. 3 is that of the draft's revision 01, 5 of 03, 6 of 04
  /// and 05, 7 of 06 to 08, and 8 of 09 and later.
  static let versions = [8, 7, 6, 5, 4, 3]
  static let newest = UploadDialect.ietf(8)

  static let versionField = "Upload-Draft-Interop-Version"

  /// True if the version says whether an upload is complete by `Upload-Complete`. Older ones negate it in
  /// `Upload-Incomplete`.
  private var hasComplete: Bool {
    if case .ietf(let version) = self { version >= 4 } else { false }
  }

  /// True if every response to an append says whether the upload is complete.
  var confirmsEnd: Bool {
    if case .ietf(let version) = self { version >= 7 } else { false }
  }

  /// The media type of the bytes that are appended.
  private var contentType: String? {
    switch self {
    case .tus: "application/offset+octet-stream"
    case .ietf(let version): version >= 6 ? "application/partial-upload" : nil
    }
  }

  /// Returns the field that says whether a request ends the upload.
  private func completeness(isLast: Bool) -> (String, String) {
    hasComplete ? ("Upload-Complete", isLast ? "?1" : "?0") : ("Upload-Incomplete", isLast ? "?0" : "?1")
  }

  /// Adds the fields of a request that creates an upload.
  func addFields(ofCreation piece: UploadPiece, length: Int64, to fields: inout HTTPFields) {
    switch self {
    case .ietf(let version):
      fields.set(Self.versionField, "\(version)")
      let (name, value) = completeness(isLast: piece.isLast)
      fields.set(name, value)
      if version >= 6 { fields.set("Upload-Length", "\(length)") }
    case .tus:
      fields.set("Tus-Resumable", "1.0.0")
      fields.set("Upload-Length", "\(length)")
    }
  }

  /// Adds the fields of a request that appends to an upload.
  func addFields(ofAppend piece: UploadPiece, to fields: inout HTTPFields) {
    fields.set("Upload-Offset", "\(piece.start)")
    if let contentType { fields.set("Content-Type", contentType) }
    addVersion(to: &fields)
    if case .tus = self { return }
    let (name, value) = completeness(isLast: piece.isLast)
    fields.set(name, value)
  }

  /// Adds the field that every request to an upload has.
  func addVersion(to fields: inout HTTPFields) {
    switch self {
    case .ietf(let version): fields.set(Self.versionField, "\(version)")
    case .tus: fields.set("Tus-Resumable", "1.0.0")
    }
  }
}

extension UploadDialect: Codable, CustomStringConvertible {
  package var description: String {
    switch self {
    case .ietf(let version): "ietf-\(version)"
    case .tus: "tus-1.0"
    }
  }

  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let dialect = ([.tus] + Self.versions.map(Self.ietf)).first(where: { $0.description == text })
    else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "unknown protocol"))
    }
    self = dialect
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A part of an upload's bytes that one request sends.
package struct UploadPiece: Sendable, Hashable {
  var start: Int64
  var end: Int64
  /// True if the request ends the upload.
  var isLast: Bool

  var count: Int64 { end - start }
}
