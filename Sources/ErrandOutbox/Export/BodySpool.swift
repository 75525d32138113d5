import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The body of a request during its import. Short pieces are in memory. Long pieces and files are in parts in
/// the outbox's folder, which are swept if the process ends.
struct BodySpool: Sendable {
  private enum Piece: Sendable {
    case memory(Data)
    case file(path: String, length: Int64)
  }

  private let folder: BlobFolder
  private var pieces: [Piece] = []
  private var hold: ContentHold?

  init(_ segments: [ExportedHead.Segment], in folder: BlobFolder) async throws {
    self.folder = folder
    do {
      for segment in segments {
        if case .bytes(let length) = segment, length <= Int64(SegmentPlacement.rowLimit) {
          pieces.append(.memory(Data()))
        } else {
          let hold: ContentHold
          if let known = self.hold { hold = known } else { hold = try await folder.newHold() }
          self.hold = hold
          pieces.append(.file(path: try await folder.newPart(under: hold), length: 0))
        }
      }
    } catch {
      await remove()
      throw error
    }
  }

  mutating func add(_ data: Data, to segment: Int) async throws {
    switch pieces[segment] {
    case .memory(let before): pieces[segment] = .memory(before + data)
    case .file(let path, let length):
      try await folder.append(data, to: path, at: length)
      pieces[segment] = .file(path: path, length: length + Int64(data.count))
    }
  }

  var segments: [BodySegment] {
    pieces.map { piece in
      switch piece {
      case .memory(let data): .bytes(data)
      case .file(let path, _): .file(path: path)
      }
    }
  }

  var hasFiles: Bool { !files.isEmpty }

  private var files: [String] {
    pieces.compactMap { if case .file(let path, _) = $0 { path } else { nil } }
  }

  /// Removes the files. Call it when the request is stored or abandoned.
  func remove() async {
    let files = files
    if !files.isEmpty { await folder.remove(parts: files) }
  }
}
