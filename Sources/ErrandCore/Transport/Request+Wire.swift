extension Request {
  /// Returns the request as it is sent: with all header fields, and with the coded body. Each read of that
  /// body gives the same bytes, or fails. A stream is left unchanged, and is coded while it is sent.
  /// - Parameters:
  ///   - cancellation: Ends the wait for the compression of a body.
  ///   - pins: Detects files that change.
  func onWire(unless cancellation: CancellationToken, _ pins: @autoclosure () -> FilePins)
    async throws
    -> Request
  {
    var request = self
    request.fields = wireFields
    guard body.isReplayable else { return request }
    let plain = body.withoutTrailers
    let body = plain.hasFiles ? plain.pinned(by: pins()) : plain.encoded()
    request.body = try await coded(body, unless: cancellation).trailed(by: self.body.trailers)
    request.options.compressesBody = false
    request.options.bodyCoding = nil
    return request
  }

  // Not inlined, because an asynchronous function would reserve space for a copy of the body.
  @inline(never)
  var hasBody: Bool { !body.isNone }

  /// Opens the body for one attempt of a call. The parameters are those of `onWire`.
  func openUpload(unless cancellation: CancellationToken, _ pins: @autoclosure () -> FilePins) async throws
    -> Upload
  {
    let pins = body.hasFiles ? pins() : nil
    var upload =
      options.compressesBody
      ? try await body.openCompressed(unless: cancellation, pins)
      : try body.open(compressed: false, pins)
    if let coding = options.bodyCoding, !body.isNone {
      upload = .reader(try CodedReader(upload.reader, coding.value.begin()))
    }
    guard let trailers = body.trailers else { return upload }
    return .reader(TrailedReader(try upload.reader, trailers))
  }

  private func coded(_ body: RequestBody, unless cancellation: CancellationToken) async throws -> RequestBody
  {
    let body = try await compressed(body, unless: cancellation)
    guard let coding = options.bodyCoding, !body.isNone else { return body }
    let attempt = try coding.value.begin()
    return .source(length: body.length.flatMap(attempt.codedLength), contentType: nil) {
      try CodedReader(body.open(compressed: false).reader, attempt)
    }
  }

  private func compressed(_ body: RequestBody, unless cancellation: CancellationToken) async throws
    -> RequestBody
  {
    guard options.compressesBody, !body.isNone else { return body }
    // A body in memory is compressed only once, because the result takes no more memory than the body.
    if case .bytes = body.content, case .bytes(let data) = try await body.openCompressed(unless: cancellation)
    {
      return .bytes(data)
    }
    return .source(length: nil, contentType: nil) { try body.open(compressed: true).reader }
  }
}

extension Request {
  /// Returns the request with a content coding, which is applied to the body after compression.
  package func coded(in coding: any BodyCoding) -> Request {
    with { $0.options.bodyCoding = OnlyItself(coding) }
  }
}

extension RequestBody {
  /// True if the body is read from files.
  var hasFiles: Bool {
    switch content {
    case .file, .multipart: true
    case .trailed(let trailed): trailed.body.hasFiles
    case .none, .bytes, .json, .stream, .source, .invalid: false
    }
  }

  /// Returns a body whose files can be read only while they are unchanged since the first read.
  fileprivate func pinned(by pins: FilePins) -> RequestBody {
    let segments: [BodySegment]
    switch content {
    case .file(let path): segments = [.file(path: path)]
    case .multipart(let form): segments = form.segments
    case .none, .bytes, .json, .stream, .source, .trailed, .invalid: return self
    }
    return .source(length: length, contentType: contentType) { try SegmentReader(segments, pins: pins) }
  }
}

extension Upload {
  /// The upload as a reader.
  var reader: any BodyReader {
    get throws {
      switch self {
      case .none: try SegmentReader([])
      case .bytes(let data): try SegmentReader([.bytes(data)])
      case .reader(let reader): reader
      }
    }
  }
}
