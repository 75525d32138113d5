#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads bytes and files, one after the other. Files are opened and measured when the reader is made, and
/// must keep their length until they are sent.
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
  package let length: Int64?

  /// - Throws: `RequestError`, if a file cannot be read.
  package init(_ segments: [BodySegment]) throws {
    do throws(FileError) {
      var sources: [(Source, Int64)] = []
      var (total, lastPath) = (Int64(0), "")
      for segment in segments {
        switch segment {
        case .bytes(let data): sources.append((.bytes(data), Int64(data.count)))
        case .file(let path):
          let file = try FileDescriptor(reading: path)
          sources.append((.file(file), try file.length()))
          lastPath = path
        }
        // The length of a sparse file can be any number, so the sum may overflow.
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
      let (count, now): (Int, Int64)
      do throws(FileError) {
        count = try unsafe file.read(into: buffer, at: offset)
        // The last piece of a file that grew or shrank is withheld, so that the server does not take the file
        // for complete.
        now = count == 0 || offset + Int64(count) == length ? try file.length() : length
      } catch {
        throw RequestError(
          .fileUnreadable, message: "the upload was stopped: \(error)", reachedServer: true, underlying: error
        )
      }
      guard count > 0, now == length else { throw changed(file, from: length, to: now) }
      return count
    }
  }

  private func changed(_ file: FileDescriptor, from length: Int64, to now: Int64) -> RequestError {
    let error = FileError(
      .read, file.path, "its length changed while it was sent, from \(length) to \(now) bytes")
    return RequestError(
      .fileChanged, message: "the upload was stopped: \(error)", reachedServer: true, underlying: error)
  }

  package func onReady(_ handler: @escaping @Sendable () -> Void) {}
  package func close() {}
}
