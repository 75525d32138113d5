import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A body in a form that URLSession accepts.
enum UploadSource: Sendable {
  case none
  case bytes(Data)
  /// A temporary file, which is removed when the transfer ends.
  case file(URL)
  case stream(StreamPump)

  /// Makes a source, at once or later on another thread.
  /// - Parameter moved: Called when bytes were read. Returns false if the transfer has ended.
  static func open(
    _ upload: Upload, memoryLimit: Int, moved: @escaping @Sendable () -> Bool,
    then done: @escaping @Sendable (Result<UploadSource, any Error>) -> Void
  ) {
    switch upload {
    case .none: done(.success(.none))
    case .bytes(let data): done(.success(.bytes(data)))
    case .reader(let reader):
      #if canImport(FoundationNetworking)
        BodySpool(reader, memoryLimit: memoryLimit, moved: moved, then: done).run()
      #else
        done(.success(.stream(StreamPump(reader))))
      #endif
    }
  }

  func task(_ request: URLRequest, in session: URLSession) -> URLSessionTask {
    var request = request
    switch self {
    case .none:
      // RFC 9110, section 8.6: a method that expects a body announces an empty one with Content-Length: 0.
      if ["POST", "PUT", "PATCH"].contains(request.httpMethod) { request.httpBody = Data() }
      return session.dataTask(with: request)
    case .bytes(let data):
      request.httpBody = data
      return session.dataTask(with: request)
    case .file(let file): return session.uploadTask(with: request, fromFile: file)
    case .stream(let pump):
      if let length = pump.length { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
      return session.uploadTask(withStreamedRequest: request)
    }
  }

  /// Returns the stream to read the body from; nil after the first call.
  func takeStream() -> InputStream? {
    if case .stream(let pump) = self { pump.takeStream() } else { nil }
  }

  /// The reason why the body could not be read to its end, or nil.
  var failure: (any Error)? {
    if case .stream(let pump) = self { pump.failure } else { nil }
  }

  /// Releases the body.
  func close() {
    switch self {
    case .none, .bytes: break
    case .file(let file): try? FileManager.default.removeItem(at: file)
    case .stream(let pump): pump.close()
    }
  }
}
