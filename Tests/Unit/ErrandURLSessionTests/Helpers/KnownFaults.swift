/// The reasons why URLSession cannot meet requirements, by the name of the case.
enum KnownFaults {
  /// Cases that would crash the process, so that they cannot be run.
  static let fatal: [String: String] = isLinux ? fatalOnLinux : [:]

  static let failing: [String: String] =
    isLinux ? everywhere.merging(onLinux) { first, _ in first } : everywhere

  /// Any request may rarely stall after connections were reset.
  static let unwatchedSocket =
    "libdispatch lost a socket that two threads unregistered at once (its issues 833 and 949)"

  static func mayBeUnwatchedSocket(_ error: any Error) -> Bool {
    isLinux && "\(error)".contains("nothing moved for 10 s")
  }

  #if canImport(FoundationNetworking)
    private static let isLinux = true
  #else
    private static let isLinux = false
  #endif

  private static let everywhere = [
    "sends a body with any method": "URLSession sends no body with GET or HEAD; refused with .unsupported",
    "ends the response to a HEAD request with a body at the head":
      "URLSession sends no body with GET or HEAD; refused with .unsupported",
    "reports the status and all header fields of a response":
      "its fields are a dictionary with one value for each name",
    "keeps header fields with one name separate and in order":
      "its fields are a dictionary with one value for each name",
    "fails at once when the connection is refused, and reports that nothing was sent":
      "one of its attempts is a GET with a body, which is refused before it connects",
    "times out or fails when the host name is not resolved in time":
      "it does not distinguish a name that is not looked up from a response that does not arrive",
    "times out when the server does not accept the connection":
      "it does not distinguish a connection that is not made from a response that does not arrive",
    "reads the trailers of a response, apart from its fields": trailers,
    "drops received trailers that are needed before the body": trailers,
    "refuses malformed trailers, and a megabyte of trailers": trailers,
  ]

  private static let trailers = "URLSession does not report trailers"

  private static let onLinux = [
    "sends and receives by turns, byte by byte": "a stream is read to its end first",
    "ends with the response although the stream of the body is still open":
      "a stream is read to its end first",
    "sends no fields of a body for GET, HEAD, DELETE and OPTIONS without a body":
      "FoundationNetworking sends Content-Length: 0 with DELETE and OPTIONS",
    "sends a stream chunked, and one of known length with its length": "a stream is read to its end first",
    "waits for a slow stream": "a stream is read to its end first",
    "reads no more from a stream's producer than the server accepts": "a stream is read to its end first",
    "closes the connection when it is cancelled while it sends": "a stream is read to its end first",
    "stops an upload when the file grows or shrinks meanwhile, so that no server gets a complete request":
      "a file is copied first, and the copy is sent",
    "stops an upload when the file is overwritten meanwhile with the same length":
      "a file is copied first, and then the copy is sent",
    "accepts a response without a reason phrase, with unusual spaces, and of HTTP/1.0":
      "FoundationNetworking accepts no status line without a reason",
    "fails on gzip that ends too soon, even with the announced length":
      "FoundationNetworking accepts it as complete",
    "fails at once when the server switches to a protocol that was not requested":
      "FoundationNetworking takes 101 for an interim response and waits for the next",
    "refuses a transfer coding that was not requested":
      "FoundationNetworking decodes it without reporting it",
    "fails on two lengths that differ": "FoundationNetworking reports only the last one",
    "refuses a body over the memory limit, announced or not, and stops reading it":
      "FoundationNetworking reads everything it can get before it delivers anything",
    "closes the connection when a stream is released":
      "FoundationNetworking reads everything it can get, and may have the whole body by then",
    "reads no more from the network than a stream's consumer takes":
      "FoundationNetworking reads everything it can get before it delivers anything",
    "closes its idle connections when the client shuts down, and accepts no more requests":
      "FoundationNetworking keeps idle connections open after its session has ended",
    "retries a GET by the client's policy, but no POST that may have arrived":
      "FoundationNetworking itself sends a GET again when a reused connection is closed",
  ]

  private static let fatalOnLinux = [
    "accepts chunked responses with extensions, trailers and chunks of any size":
      "FoundationNetworking crashes the process when there are trailers",
    "reads the trailers of a response, apart from its fields":
      "FoundationNetworking crashes the process when there are trailers",
    "drops received trailers that are needed before the body":
      "FoundationNetworking crashes the process when there are trailers",
    "refuses malformed trailers, and a megabyte of trailers":
      "FoundationNetworking crashes the process when there are trailers",
    "fails when the head is cut at any point":
      "FoundationNetworking crashes the process when a head is truncated",
    "fails when the connection is closed in the header fields":
      "FoundationNetworking crashes the process when the connection is closed in the fields",
  ]
}
