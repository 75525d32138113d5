import ErrandCore
import ErrandCurl

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Prints requests instead of sending them, as they would be with HTTP/1.1.
struct OfflineTransport: Transport {
  /// The end of a request that was printed.
  struct Printed: Error {}

  let output: OutputDescriptor
  let transfer: Transfer

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    let request = exchange.request
    try output.write(head: SentHead.masked(head(of: request)))
    var writer = BodyWriter(output, laysOut: request.fields["Content-Type"])
    switch request.upload {
    case .none: break
    case .bytes(let data): try writer.write(data)
    case .reader(let reader): try await write(reader, to: &writer)
    }
    try writer.finish()
    throw Printed()
  }

  func shutdown() async {}

  private func write(_ reader: any BodyReader, to writer: inout BodyWriter) async throws {
    defer { reader.close() }
    let (ready, arrived) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    reader.onReady { arrived.yield() }
    var turns = ready.makeAsyncIterator()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      switch try reader.read(into: buffer) {
      case .bytes(let count): try writer.write(Data(buffer.prefix(count)))
      case .notYet: await turns.next()
      case .end: return
      }
    }
  }

  /// The head with the fields in the order in which libcurl sends them.
  private func head(of request: Exchange.Request) -> String {
    let fields = request.fields
    func adds(_ name: String) -> Bool {
      !fields.contains(name) && !transfer.omits(name)
    }
    var lines = ["\(request.method) \(SentHead.target(of: request.url)) HTTP/1.1"]
    if adds("Host"), let host = request.url.host(percentEncoded: true) {
      let port = request.url.port.flatMap { $0 == (request.isSecure ? 443 : 80) ? nil : $0 }
      lines.append("Host: \(host)" + (port.map { ":\($0)" } ?? ""))
    }
    if adds("Accept") { lines.append("Accept: */*") }
    for field in fields where !transfer.omits(field.name) {
      lines.append("\(field.name): \(field.value)")
    }
    if adds("Accept-Encoding") {
      let accepted = ContentCoding.accepted(with: fields, decodes: request.decodesContent)
      lines.append("Accept-Encoding: \(accepted)")
    }
    if let length = request.upload.length {
      let announcesNone = [.post, .put, .patch].contains(request.method)
      if length > 0 || announcesNone { lines.append("Content-Length: \(length)") }
    } else {
      lines.append("Transfer-Encoding: chunked")
    }
    return (lines + ["", ""]).joined(separator: "\r\n")
  }
}

/// The head of a request as it is sent.
enum SentHead {
  /// Returns the lines of the head, with `***` in the place of secrets.
  /// - Parameter known: The only URL whose path may be shown; nil to show every path.
  static func masked(_ head: String, showing known: URL? = nil) -> [String] {
    var lines: [String] = []
    for line in head.split(separator: "\r\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      if lines.isEmpty, words.count == 3 {
        let target = String(words[1])
        // The target of CONNECT is a host.
        let isPath = target.hasPrefix("/") || target.contains("://")
        let isShown =
          known.map { !isPath || [Self.target(of: $0), $0.absoluteString].contains(target) } ?? true
        lines.append("\(words[0]) \(isShown ? Secrets.standard.redactAnything(target) : "***") \(words[2])")
      } else if let colon = line.firstIndex(of: ":") {
        let value = ASCII.trimmed(line[line.index(after: colon)...])
        let field = HTTPFields.Field(String(line[..<colon]), value)
        lines.append(Secrets.standard.hides(field) ? "\(field.name): ***" : String(line))
      }
    }
    return lines
  }

  /// The target of a request to the URL, as it is on the wire.
  static func target(of url: URL) -> String {
    let path = url.path(percentEncoded: true)
    return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
  }
}
