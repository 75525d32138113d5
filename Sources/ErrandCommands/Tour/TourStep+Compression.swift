import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TourStep {
  static let compression = TourStep("Bodies are compressed on their way out and back") { stage in
    // The server returns a compressed body as it is.
    stage.server.on("POST", "/echo") { request in
      .response(
        fields: ["Content-Encoding": request.fields["Content-Encoding"] ?? "identity"], body: request.body)
    }
    let text = String(repeating: "All work and no play makes Jack a dull boy. ", count: 500)
    let response = try await stage.client.send(.post(stage.server.url("/echo"), .text(text)).compressed())
    let timing = response.timing
    stage.client(
      "\(text.utf8.count) bytes of text: \(timing.bytesSent) sent, \(timing.bytesReceived) received, the same text"
    )
    let request = stage.server.requests[0]
    stage.server(
      "Content-Encoding: \(request.fields["Content-Encoding"] ?? "none"), \(request.bodyBytes) bytes, "
        + "Accept-Encoding: \(request.fields["Accept-Encoding"] ?? "none")")
    stage.promise("the same text comes back", response.text == text)
    stage.promise("less goes over the wire", request.bodyBytes < text.utf8.count / 10)
  }

  static let bomb = TourStep("A gzip bomb is refused before it fills the memory") { stage in
    let zeros = stage.file("zeros")
    try Data(count: 32 << 20).write(to: zeros)
    let bomb = Locked(Data())
    stage.server.on("PUT", "/bomb") { request in
      bomb.withLock { $0 = request.body }
      return .response(status: 204)
    }
    stage.server.on("GET", "/bomb") { _ in
      .response(fields: ["Content-Encoding": "gzip"], body: bomb.withLock { $0 })
    }
    _ = try await stage.client.send(
      Request(.put, stage.server.url("/bomb"), body: .file(zeros)).compressed())
    let error = try await stage.failure(.bodyTooLarge) {
      try await stage.client.send(.get(stage.server.url("/bomb")).memoryLimit(4 << 20))
    }
    stage.client(error.message)
    stage.server(
      "sent \(Amounts.bytes(Int64(bomb.withLock { $0.count }))) that become \(Amounts.bytes(32 << 20))")
  }
}
