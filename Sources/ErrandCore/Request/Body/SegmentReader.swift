#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads bytes and files, one after the other. Files are opened and measured when the reader is made, and
/// must not change until they are sent.
package final class SegmentReader: BodyReader {
  private enum Source {
    case bytes(Data)
    case file(FileDescriptor)
  }

  private struct Position {
    var segment = 0
    var offset: Int64 = 0
  }

  private let sources: [(source: Source, length: Int64)]
  private let position = Locked(Position())
  private let pins: FilePins
  package let length: Int64?

  /// Makes a reader, and opens the files.
  /// - Throws: `RequestError`, if a file cannot be read.
  package convenience init(_ segments: [BodySegment]) throws { try self.init(segments, pins: FilePins()) }

  /// - Parameter pins: Detects files that have changed since the body was read before.
  init(_ segments: [BodySegment], pins: FilePins) throws {
    self.pins = pins
    var changed: FileError?
    do throws(FileError) {
      var sources: [(Source, Int64)] = []
      var (total, lastPath) = (Int64(0), "")
      for segment in segments {
        switch segment {
        case .bytes(let data): sources.append((.bytes(data), Int64(data.count)))
        case .file(let path):
          let file = try FileDescriptor(reading: path)
          sources.append((.file(file), try file.length()))
          if try !pins.isUnchanged(file) { changed = FilePins.change(of: path) }
          lastPath = path
        }
        // A sparse file can report any length, so the sum may overflow.
        let (sum, isTooLong) = total.addingReportingOverflow(sources.last?.1 ?? 0)
        if isTooLong { throw FileError(.read, lastPath, "is too long") }
        total = sum
      }
      self.sources = sources
      length = total
    } catch {
      throw RequestError(
        .fileUnreadable, message: "the file to upload cannot be used: \(error)", reachedServer: false,
        underlying: error)
    }
    if let changed { throw Self.stopped(by: changed, reachedServer: false) }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    try position.withLock { position in
      while position.segment < sources.count {
        let (source, length) = sources[position.segment]
        let rest = length - position.offset
        if rest > 0 {
          let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: rest)))
          let count = try unsafe read(source, length, into: room, at: position.offset)
          position.offset += Int64(count)
          return .bytes(count)
        }
        position = Position(segment: position.segment + 1)
      }
      return .end
    }
  }

  private func read(
    _ source: Source, _ length: Int64, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws -> Int {
    switch source {
    case .bytes(let data):
      let start = data.startIndex + Int(offset)
      unsafe buffer.copyBytes(from: data[start..<start + buffer.count])
      return buffer.count
    case .file(let file):
      let count: Int
      let isUnchanged: Bool
      do throws(FileError) {
        count = try unsafe file.read(into: buffer, at: offset)
        // The last piece of a file that changed is not sent, so that the server does not take the file for
        // complete.
        let isLast = count == 0 || offset + Int64(count) == length
        isUnchanged = isLast ? try pins.isUnchanged(file) : true
      } catch {
        throw RequestError(
          .fileUnreadable, message: "the upload was stopped: \(error)", reachedServer: true, underlying: error
        )
      }
      guard count > 0, isUnchanged else { throw Self.stopped(by: FilePins.change(of: file.path)) }
      return count
    }
  }

  private static func stopped(by error: FileError, reachedServer: Bool = true) -> RequestError {
    RequestError(
      .fileChanged, message: "the upload was stopped: \(error)", reachedServer: reachedServer,
      underlying: error)
  }

  package func onReady(_ handler: @escaping @Sendable () -> Void) {}
  package func close() {}
}

/// Remembers the state of a body's files when a call first read them. A digest of a file, or a part of it
/// that was sent, is only right while the file is unchanged.
final class FilePins: Sendable {
  private let stamps = Locked<[ExactBytes: FileStamp]>([:])

  init() {}

  /// Returns false if the file has changed since the first call with its path.
  func isUnchanged(_ file: FileDescriptor) throws(FileError) -> Bool {
    let stamp = try file.stamp()
    let path = ExactBytes(file.path)
    return stamps.withLock { stamps in
      let first = stamps[path] ?? stamp
      stamps[path] = first
      return first == stamp
    }
  }

  static func change(of path: String) -> FileError {
    FileError(.read, path, "it changed after the request began to read it; send it when it is complete")
  }
}
