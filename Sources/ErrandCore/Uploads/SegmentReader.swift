#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bytes and files, one behind the other. Files are opened and measured when it is made, and must keep their
/// length until they are sent.
final class SegmentReader: BodyReader {
  enum Segment {
    case bytes(Data)
    case file(String)
  }

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
  let length: Int64?

  init(_ segments: [Segment]) throws {
    do throws(FileError) {
      var sources: [(Source, Int64)] = []
      for segment in segments {
        switch segment {
        case .bytes(let data): sources.append((.bytes(data), Int64(data.count)))
        case .file(let path):
          let file = try FileDescriptor(reading: path)
          sources.append((.file(file), try file.length()))
        }
      }
      self.sources = sources
      length = sources.reduce(0) { $0 + $1.1 }
    } catch {
      throw RequestError(
        .fileUnreadable, message: "the file to upload cannot be used: \(error)", reachedServer: false,
        underlying: error)
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
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
      do throws(FileError) {
        let count = try unsafe file.read(into: buffer, at: offset)
        // The last piece is held back from a file that grew or shrank: the server must not take it for whole.
        let isLast = offset + Int64(count) == length
        let hasChanged = isLast ? try file.length() != length : count == 0
        if hasChanged { throw changed(file, length) }
        return count
      } catch {
        throw RequestError(
          .fileChanged, message: "the upload was stopped: \(error)", reachedServer: true, underlying: error)
      }
    }
  }

  private func changed(_ file: FileDescriptor, _ length: Int64) -> FileError {
    let now = (try? file.length()).map { "\($0)" } ?? "an unknown number of"
    return FileError(
      .read, file.path, "its length changed while it was sent, from \(length) to \(now) bytes")
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {}
  func close() {}
}
