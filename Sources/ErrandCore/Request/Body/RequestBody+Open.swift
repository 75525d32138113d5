import Dispatch

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension RequestBody {
  /// Opens the body for one attempt.
  /// - Parameter pins: Detects files that change between several readings; nil if the body is read only once.
  /// - Throws: `RequestError`, if a file cannot be read or has changed, or the stream has been read already.
  func open(compressed: Bool, _ pins: FilePins? = nil) throws -> Upload {
    let plain = try openPlain(pins ?? FilePins())
    guard compressed else { return plain }
    switch plain {
    case .none: return .none
    case .bytes(let data):
      return .bytes(try Gzip.compress(data))
    case .reader(let reader): return .reader(GzipReader(reader))
    }
  }

  /// The maximum size that is compressed on the caller's thread: a megabyte takes 10 ms.
  private static let quicklyCompressed = 64 << 10

  /// Opens the body compressed. A large body is compressed on a dedicated thread, so that the threads that
  /// all tasks share stay free.
  /// - Parameter cancellation: Ends the wait when it is cancelled.
  func openCompressed(unless cancellation: CancellationToken, _ pins: FilePins? = nil) async throws -> Upload
  {
    if case .trailed(let trailed) = content {
      return try await trailed.body.openCompressed(unless: cancellation, pins)
    }
    guard case .bytes(let data) = content, data.count > Self.quicklyCompressed else {
      return try open(compressed: true, pins)
    }
    let compressed = Promise<Data>()
    // Serial, because on Linux only a serial queue has a dedicated thread.
    DispatchQueue(label: "errand.compression").async {
      compressed.settle(Result { try Gzip.compress(data) })
    }
    return .bytes(try await compressed.value(unless: cancellation))
  }

  private func openPlain(_ pins: @autoclosure () -> FilePins) throws -> Upload {
    switch content {
    case .none: return .none
    case .bytes(let data): return .bytes(data)
    case .json: return try encoded().openPlain(pins())
    case .file(let path): return .reader(try SegmentReader([.file(path: path)], pins: pins()))
    case .multipart(let form): return .reader(try SegmentReader(form.segments, pins: pins()))
    case .stream(let stream):
      guard let reading = stream.take() else {
        throw RequestError(
          .bodyNotReplayable,
          message: "the body is a stream that has been read already; use a body that can be read again",
          reachedServer: false)
      }
      return .reader(StreamReader(reading, length: stream.length))
    case .source(let source): return .reader(try source.open())
    // `Request.openUpload` adds the trailers, after the codings.
    case .trailed(let trailed): return try trailed.body.openPlain(pins())
    case .invalid(let reason):
      throw RequestError(.invalidRequest, message: reason, reachedServer: false)
    }
  }
}

extension MultipartForm {
  /// The form's pieces in the order in which they are sent.
  var segments: [BodySegment] {
    var segments: [BodySegment] = []
    for (index, part) in parts.enumerated() {
      let line = (index == 0 ? "" : "\r\n") + "--\(boundary)\r\n\(part.head)\r\n"
      segments.append(.bytes(Data(line.utf8)))
      switch part.content {
      case .bytes(let data): segments.append(.bytes(data))
      case .file(let path): segments.append(.file(path: path))
      }
    }
    segments.append(.bytes(Data(((parts.isEmpty ? "" : "\r\n") + "--\(boundary)--\r\n").utf8)))
    return segments
  }
}

/// The structure of a body, for code that stores the body and sends it later.
package enum BodyLayout: Sendable {
  case none
  case bytes(Data)
  case file(path: String)
  /// A form, as the segments that are sent, including its boundaries.
  case multipart([BodySegment])
  /// A stream, which can be read only once.
  case stream
  /// A body that code opens for each attempt. It cannot be stored.
  case source
  case invalid(reason: String)
}

extension RequestBody {
  package var layout: BodyLayout {
    switch content {
    case .none: .none
    case .bytes(let data): .bytes(data)
    case .json: encoded().layout
    case .file(let path): .file(path: path)
    case .multipart(let form): .multipart(form.segments)
    case .stream: .stream
    case .source, .trailed: .source
    case .invalid(let reason): .invalid(reason: reason)
    }
  }
}

/// A piece of a body.
package enum BodySegment: Sendable, Hashable {
  case bytes(Data)
  case file(path: String)
}
