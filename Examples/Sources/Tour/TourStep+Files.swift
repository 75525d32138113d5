import Errand
import ErrandTesting
import Foundation
import Synchronization

extension TourStep {
  static let multipart = TourStep("A form with a 4 MB file is streamed from disk, with a known length") {
    stage in
    let photo = stage.file("cat.jpg")
    let bytes = TourStage.bytes(4_000_000)
    try bytes.write(to: photo)
    stage.server.on("POST", "/photos") { request in .response(status: 201, body: "\(request.bodyBytes) bytes")
    }
    let form = MultipartForm().field("title", "Cat").file("photo", at: photo)
    let told = Mutex<[TransferProgress]>([])
    let response = try await stage.client.send(.post(stage.server.url("/photos"), .multipart(form))) {
      progress in
      told.withLock { $0.append(progress) }
    }
    let progress = told.withLock { $0 }
    let last = progress.last
    stage.client(
      "\(response.status); \(progress.count) progress reports, the last with \(last?.sent ?? 0) of \(last?.sentTotal ?? 0) bytes"
    )
    let request = stage.server.requests[0]
    stage.server("Content-Length \(request.fields["Content-Length"] ?? "none"), body \(response.text)")
    stage.promise(
      "the body has the announced length", request.fields["Content-Length"] == "\(request.bodyBytes)")
    stage.promise("the body contains the file", request.body.firstRange(of: bytes) != nil)
    stage.promise(
      "progress ends at the total", last?.sent == Int64(request.bodyBytes) && last?.sentTotal == last?.sent)
  }

  static let resumed = TourStep("An interrupted download is resumed") { stage in
    let bytes = TourStage.bytes(2_000_000)
    stage.server.on("GET", "/film") { request in
      let response = MockResponse.file(bytes, etag: #""v1""#, for: request)
      return request.index == 0 ? response.closing(at: .body(1_200_000)) : response
    }
    let file = stage.file("film.mp4")
    let request = Request.get(stage.server.url("/film"))
    let error = try await stage.failure(.connectionLost) {
      try await stage.client.download(request.bestEffort(), to: file, resume: true)
    }
    stage.client("cut: \(error.message)")
    stage.promise("no partial file appears", !FileManager.default.fileExists(atPath: file.path))
    let told = Mutex<[TransferProgress]>([])
    _ = try await stage.client.download(request, to: file, resume: true) { progress in
      told.withLock { $0.append(progress) }
    }
    let first = told.withLock { $0.first { $0.receivedTotal != nil } }
    stage.client(
      "resumed with \(first?.received ?? 0) of \(first?.receivedTotal ?? 0) bytes already received")
    let fields = stage.server.requests.last?.fields
    stage.server("Range: \(fields?["Range"] ?? "none"), If-Range: \(fields?["If-Range"] ?? "none")")
    stage.promise("the file is complete", try Data(contentsOf: file) == bytes)
    stage.promise("only the rest is requested", fields?["Range"]?.hasPrefix("bytes=") ?? false)
  }

  static let changedFile = TourStep(
    "If the file has changed, a resumed download restarts and never mixes two versions"
  ) { stage in
    let (old, new) = (TourStage.bytes(1_000_000), TourStage.bytes(1_100_000, seed: 0xFF))
    stage.server.on("GET", "/film") { request in
      request.index == 0
        ? MockResponse.file(old, etag: #""v1""#, for: request).closing(at: .body(600_000))
        : MockResponse.file(new, etag: #""v2""#, for: request)
    }
    let file = stage.file("film.mp4")
    let response = try await stage.client.download(.get(stage.server.url("/film")), to: file)
    stage.client(
      "\(response.status) after \(response.timing.attempts) attempts, \(try Data(contentsOf: file).count) bytes"
    )
    let requests = stage.server.requests
    stage.server(
      "If-Range: \(requests.last?.fields["If-Range"] ?? "none"), but the file is now \"v2\": 200 with the whole file"
    )
    stage.promise("the file has the new version", try Data(contentsOf: file) == new)
    stage.promise("the rest of the old version was requested", requests.last?.fields["If-Range"] == #""v1""#)
  }
}

extension TourStep {
  static let compression = TourStep("Request and response bodies are compressed") { stage in
    // The server returns the compressed body unchanged.
    stage.server.on("POST", "/echo") { request in
      .response(
        fields: ["Content-Encoding": request.fields["Content-Encoding"] ?? "identity"], body: request.body)
    }
    let text = String(repeating: "All work and no play makes Jack a dull boy. ", count: 500)
    let response = try await stage.client.send(.post(stage.server.url("/echo"), .text(text)).compressed())
    let timing = response.timing
    stage.client(
      "\(text.utf8.count) bytes of text: \(timing.bytesSent) bytes sent, \(timing.bytesReceived) received, same text"
    )
    let request = stage.server.requests[0]
    stage.server(
      "Content-Encoding: \(request.fields["Content-Encoding"] ?? "none"), \(request.bodyBytes) bytes, "
        + "Accept-Encoding: \(request.fields["Accept-Encoding"] ?? "none")")
    stage.promise("the same text comes back", response.text == text)
    stage.promise("the transferred body is smaller", request.bodyBytes < text.utf8.count / 10)
  }

  static let bomb = TourStep("A gzip bomb is refused before it fills the memory") { stage in
    let zeros = stage.file("zeros")
    try Data(count: 32 << 20).write(to: zeros)
    let bomb = Mutex(Data())
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
      "sent \(shown(bytes: bomb.withLock { $0.count })) that decompress to \(shown(bytes: 32 << 20))")
  }
}
