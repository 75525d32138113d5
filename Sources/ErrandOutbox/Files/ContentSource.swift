import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The source of a copy into the outbox's folder: bytes, or a file, which must not change while it is copied.
enum ContentSource {
  case bytes(Data)
  case file(FileDescriptor, length: Int64, FileStamp)

  /// - Throws: `.fileUnreadable` if the file is missing, or is not a regular file.
  init(_ segment: BodySegment) throws(OutboxError) {
    switch segment {
    case .bytes(let data): self = .bytes(data)
    case .file(let path):
      do throws(FileError) {
        let file = try FileDescriptor(reading: path)
        self = .file(file, length: try file.length(), try FileStamp(file))
      } catch {
        throw .unreadable(error)
      }
    }
  }

  var length: Int64 {
    switch self {
    case .bytes(let data): Int64(data.count)
    case .file(_, let length, _): length
    }
  }

  /// Returns this many bytes from the offset on.
  func read(_ count: Int, at offset: Int64) throws -> Data {
    switch self {
    case .bytes(let data):
      let start = data.startIndex + Int(offset)
      return data[start..<start + count]
    case .file(let file, _, _):
      let data: Data
      do {
        data = try file.read(count, at: offset)
      } catch {
        throw OutboxError(.fileUnreadable, "the file to upload cannot be used: \(error)")
      }
      guard data.count == count else { throw Self.changed(file) }
      return data
    }
  }

  /// - Throws: `.fileUnreadable` if the file was written to since it was opened.
  func checkUnchanged() throws(OutboxError) {
    guard case .file(let file, _, let stamp) = self else { return }
    let now: FileStamp
    do throws(FileError) { now = try FileStamp(file) } catch { throw .unreadable(error) }
    guard now == stamp else { throw Self.changed(file) }
  }

  private static func changed(_ file: FileDescriptor) -> OutboxError {
    .unreadable(FileError(.read, file.path, "it changed while it was copied; store it when it is complete"))
  }
}
