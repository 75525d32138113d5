import ErrandCore

/// The options and operands for one request.
struct Transfer: Sendable, Hashable {
  /// The destination of the response's body.
  enum Target: Sendable, Hashable {
    case standardOutput
    case file(String)
    /// A file named after the last part of the URL. It must not exist yet.
    case fileNamedByURL
  }

  /// How an upload is resumed.
  enum ResumedUpload: Sendable, Hashable {
    case automatic
    case tus
    /// Nothing is uploaded, and the bytes on the server are removed.
    case abandoned
  }

  var method: HTTPMethod
  var url: String
  var fields: [HTTPFields.Field] = []
  var query: [NameAndValue] = []
  /// The folder of the response cache; nil for no cache.
  var cache: String?
  /// The file of the client certificate; nil for no certificate.
  var certificate: String?
  var credentials = CredentialArguments()
  /// The file of the session; nil for none.
  var session: String?
  var signatures = SignatureArguments()
  var body = BodyArgument.none
  /// True if data that is piped to the command is the body.
  var readsPipe = false
  var isCompressed = false
  var timeout: Duration?
  var connectTimeout: Duration?
  var deadline: Duration?
  var retries = 0
  /// The most redirects to follow; nil for the default.
  var redirects: Int?
  var httpVersion: HTTPVersionPreference?
  var connection = ConnectionArguments()
  var showsHead = false
  var isVerbose = false
  var target = Target.standardOutput
  var format = OutputFormat.plain
  /// True to print JSON without laying it out.
  var isRaw = false
  /// The parts to print to standard output; nil for the body of the response alone.
  var parts: PrintedParts?
  /// True to print the request, and to send nothing.
  var isOffline = false
  /// The text to print after the response; nil for none.
  var writeOut: WriteOut?
  /// True to print the request as a curl command, and to send nothing.
  var printsCommand = false
  /// True to show no progress.
  var isSilent = false
  /// True to print no body of a response with an error status.
  var hidesErrorBody = false
  var recording = RecordingArguments()
  var resumes = false
  /// How the upload is resumed; nil for an upload that is one request.
  var upload: ResumedUpload?
  /// The text to show while the request takes long.
  var activity: String?
  /// True for a command that uploads or downloads a file.
  var showsProgress = false
  /// The options of a guaranteed request; nil for a request that is not stored.
  var guarantee: Guarantee?
}

extension Transfer {
  /// The names of the fields that are not sent, although they would be added.
  var omittedFields: [String] { connection.omittedFields }

  /// The cookies that the command line gives.
  var cookies: String? { fields.first { ASCII.equalIgnoringCase($0.name, "Cookie") }?.value }

  /// True if the body goes to a file, which keeps the bytes as the server has them.
  var writesFile: Bool {
    switch target {
    case .standardOutput: false
    case .fileNamedByURL: true
    case .file(let path): if case .regular? = try? FilePlace(path) { true } else { false }
    }
  }

  func omits(_ name: String) -> Bool { omittedFields.contains { ASCII.equalIgnoringCase($0, name) } }

  /// - Parameter method: The method; nil if the body and the options determine it.
  init(_ arguments: ScannedArguments, method: HTTPMethod?, url: String) throws(UsageError) {
    self.init(method: method ?? .get, url: ValueParser.url(url))
    connection = try ConnectionArguments(arguments)
    for text in arguments.values(.agent) { try takeField("User-Agent: \(text)") }
    if arguments.has(.cookie) {
      try takeField("Cookie: \(try ValueParser.cookies(arguments.values(.cookie)))")
    }
    for text in arguments.values(.referer) {
      if text.hasSuffix(";auto") {
        throw UsageError("errand adds no Referer after a redirect, so -e takes no ;auto")
      }
      try takeField("Referer: \(text)")
    }
    for text in arguments.values(.header) { try takeField(text) }
    for text in arguments.values(.query) { query.append(try ValueParser.pair(text, for: .query)) }
    let items = try takeItems(arguments)
    cache = try ValueParser.path(arguments.last(.cache), for: .cache)
    certificate = cache == nil ? nil : arguments.last(.certificate).map { ValueParser.fileAndPassword($0).0 }
    credentials = try CredentialArguments(arguments)
    session = try ValueParser.path(arguments.last(.session), for: .session)
    try credentials.check(fields)
    try credentials.takeUser(from: &self.url)
    signatures = try SignatureArguments(arguments)
    body = try BodyArgument(arguments, items: items)
    try takeQueryFromBody(arguments)
    if arguments.has(.uploadFile) { takeFileName() }
    if method == nil { self.method = impliedMethod(arguments) }
    try checkItems(items, arguments)
    readsPipe = body == .none && arguments.readsPipe(with: method)
    isCompressed = arguments.has(.compress)
    try takeLimits(arguments)
    if arguments.has(.http1), arguments.has(.http2) {
      throw UsageError("--http1.1 cannot be combined with --http2")
    }
    httpVersion = arguments.has(.http2) ? .http2 : arguments.has(.http1) ? .http1 : nil
    showsHead = arguments.has(.include) || self.method == .head
    isVerbose = arguments.has(.verbose)
    activity = arguments.last(.activity)
    resumes = arguments.has(.resume)
    try takeOutput(arguments)
    recording = try RecordingArguments(arguments)
    isRaw = arguments.has(.raw)
    printsCommand = arguments.has(.curl)
    guarantee = try Guarantee(arguments)
  }

  /// Takes `Name: value`. `Name:` removes a field that would be added, as in curl, and `Name;` sends an empty one.
  private mutating func takeField(_ text: String) throws(UsageError) {
    let field = try ValueParser.field(text)
    if field.value.isEmpty, text.contains(":") {
      connection.omittedFields.append(field.name)
    } else {
      fields.append(field)
    }
  }

  /// Takes the header fields and the query from the arguments after the URL, and returns the parts of the body.
  private mutating func takeItems(_ arguments: ScannedArguments) throws(UsageError) -> [RequestItem] {
    var items: [RequestItem] = []
    for text in arguments.items {
      let item = try RequestItem(text)
      switch item {
      case .field(let text): try takeField(text)
      case .query(let pair): query.append(pair)
      case .member, .file: items.append(item)
      }
    }
    return items
  }

  private func checkItems(_ items: [RequestItem], _ arguments: ScannedArguments) throws(UsageError) {
    guard !items.isEmpty, !arguments.accepts(.data) else { return }
    throw UsageError(
      "errand \(arguments.command.name) sends no body",
      hint: "For the query: name==value. To send a body: errand post URL name=value.")
  }

  private mutating func takeQueryFromBody(_ arguments: ScannedArguments) throws(UsageError) {
    guard arguments.has(.asQuery) else { return }
    guard case .text(let text, BodyArgument.formType) = body else {
      throw UsageError("-G can be used only with the text of -d or --data-urlencode")
    }
    let end = url.firstIndex(of: "#") ?? url.endIndex
    url.insert(contentsOf: (url[..<end].contains("?") ? "&" : "?") + text, at: end)
    body = .none
  }

  /// Adds the name of the file of `-T` to a URL that ends in a slash, as curl does.
  private mutating func takeFileName() {
    guard case .file(let path, _) = body, let name = path.split(separator: "/").last else { return }
    let end = url.firstIndex { "?#".contains($0) } ?? url.endIndex
    let hasPath = url[..<end].split(separator: "://", maxSplits: 1).last?.contains("/") ?? false
    guard !hasPath || url[..<end].hasSuffix("/") else { return }
    url.insert(contentsOf: (hasPath ? "" : "/") + BodyArgument.escaped(name.utf8), at: end)
  }

  private func impliedMethod(_ arguments: ScannedArguments) -> HTTPMethod {
    if arguments.has(.headOnly) { return .head }
    if arguments.has(.uploadFile) { return .put }
    return body == .none ? .get : .post
  }

  private mutating func takeLimits(_ arguments: ScannedArguments) throws(UsageError) {
    if let text = arguments.last(.timeout) { timeout = try ValueParser.duration(text, for: .timeout) }
    if let text = arguments.last(.connectTimeout) {
      connectTimeout = try ValueParser.duration(text, for: .connectTimeout)
    }
    for option in [OptionSpec.maxTime, .deadline] {
      if let text = arguments.last(option) { deadline = try ValueParser.duration(text, for: option) }
    }
    if let text = arguments.last(.retry) { retries = try ValueParser.count(text, for: .retry) }
    if let text = arguments.last(.maxRedirects) {
      redirects = try ValueParser.count(text, for: .maxRedirects)
    }
    if arguments.has(.noRedirects) { redirects = 0 }
  }

  private mutating func takeOutput(_ arguments: ScannedArguments) throws(UsageError) {
    format = try OutputFormat(arguments)
    writeOut = try arguments.last(.writeOut).map { text throws(UsageError) in try WriteOut(text) }
    isSilent = arguments.has(.silent)
    hidesErrorBody =
      arguments.options.last { [.fail, .failWithBody].contains($0.option) }?.option == .fail
    isOffline = arguments.has(.offline)
    parts = try arguments.last(.print).map { text throws(UsageError) in try PrintedParts(text) }
    if isOffline {
      guard parts == nil else { throw UsageError("--offline cannot be combined with --print") }
      parts = .request
    }
    if parts != nil || writeOut != nil, format == .json {
      throw UsageError("\(parts != nil ? "--print" : "-w") cannot be combined with --output json")
    }
    if arguments.has(.remoteName) {
      if arguments.has(.file) { throw UsageError("-O cannot be combined with -o") }
      target = .fileNamedByURL
      showsProgress = !isSilent
    }
    guard let file = arguments.last(.file) else { return }
    if file.isEmpty { throw UsageError("-o needs a file name") }
    // `-o -` is standard output, as in curl.
    if file == "-" { return }
    target = .file(file)
    showsProgress = !isSilent
  }
}

extension Transfer.ResumedUpload {
  /// Parses the options; returns nil without any.
  init?(_ arguments: ScannedArguments) throws(UsageError) {
    let (resumes, abandons) = (arguments.has(.resumeUpload), arguments.has(.abandon))
    if arguments.has(.tus), !resumes { throw UsageError("--tus can be used only with --resume") }
    guard resumes || abandons else { return nil }
    let name = resumes ? "--resume" : "--abandon"
    if resumes, abandons { throw UsageError("--resume cannot be combined with --abandon") }
    if arguments.operands[0] == "-" {
      throw UsageError("\(name) needs a file, because standard input can be read only once")
    }
    for option: OptionSpec in [.compress, .guaranteed, .verify, .file, .curl] where arguments.has(option) {
      throw UsageError("\(name) cannot be combined with \(option.name)")
    }
    self = abandons ? .abandoned : arguments.has(.tus) ? .tus : .automatic
  }
}

/// The address to use for a host and port.
struct AddressOverride: Sendable, Hashable {
  let host: String
  let port: Int
  let address: String
}

/// A name and a value from an argument of the form `name=value`.
struct NameAndValue: Sendable, Hashable {
  let name: String
  let value: String
}

/// The format of a command's output.
enum OutputFormat: Sendable, Hashable {
  case plain
  case json

  init(_ arguments: ScannedArguments) throws(UsageError) {
    guard let text = arguments.last(.format) else {
      self = .plain
      return
    }
    guard text == "json" else {
      throw UsageError(
        "--output takes json, not \(text.debugDescription)",
        hint: arguments.accepts(.file) ? "To write the body to a file: -o FILE." : nil)
    }
    self = .json
  }
}

/// The options of a request that is stored until it is delivered.
struct Guarantee: Sendable, Hashable {
  var lane: String?
  /// The key of the request's limits and pauses; nil for its origin.
  var key: String?
  var expires: Duration?
  /// The least time before the first attempt.
  var delay: Duration?
  var id: String?
  /// True if the request replaces a waiting one with its ID.
  var replaces = false
  /// The folder of the outbox or the URL of its database, or nil for the default folder.
  var store: String?
  /// The separate folder of large bodies; nil for the store's folder.
  var bodies: String?
  /// True if the request is only stored, and another process delivers it.
  var isDetached = false

  init() {}

  /// Parses the options; returns nil without `--guaranteed`.
  init?(_ arguments: ScannedArguments) throws(UsageError) {
    guard arguments.has(.guaranteed) else {
      if let option = OptionSpec.arriving.first(where: arguments.has) {
        throw UsageError("\(option.name) can be used only with --guaranteed")
      }
      return nil
    }
    lane = arguments.last(.lane)
    if let text = arguments.last(.keyBy) {
      guard text == "lane" else { throw UsageError("--key-by takes lane, not \(text.debugDescription)") }
      guard let lane else { throw UsageError("--key-by lane can be used only with --lane NAME") }
      key = String(Substring(lane.utf8.prefix { $0 != UInt8(ascii: "/") }))
    }
    if let text = arguments.last(.expires) { expires = try ValueParser.duration(text, for: .expires) }
    if let text = arguments.last(.notBefore) { delay = try ValueParser.duration(text, for: .notBefore) }
    id = arguments.last(.id)
    replaces = arguments.has(.replace)
    if replaces, id == nil { throw UsageError("--replace can be used only with --id ID") }
    store = try ValueParser.path(arguments.last(.store), for: .store)
    bodies = try ValueParser.path(arguments.last(.bodiesFolder), for: .bodiesFolder)
    isDetached = arguments.has(.detach)
    try Self.refuseWhatIsNotStored(arguments)
  }

  /// Options that cannot be stored with a request, each with a hint.
  private static let refused: [(OptionSpec, String)] = [
    (.deadline, "To give up after some time: --expires 7d."),
    (.retry, "The request is attempted until it is delivered. To give up after some time: --expires 7d."),
    (.noRedirects, "A stored request follows only redirects that keep its method and its origin."),
    (.activity, "Every step is reported anyway."),
    (.digest, "The server's challenge is not stored. Use Basic authentication or --bearer."),
    (.awsSigV4, "Another process that delivers the request could not sign it."),
    (.sign, "Another process that delivers the request could not sign it."),
    (.verify, "Another process that delivers the request could not verify the response."),
    (.verifyCover, "Another process that delivers the request could not verify the response."),
    (.verifyAge, "Another process that delivers the request could not verify the response."),
    (.cookies, "Cookies are not stored with the request."),
    (.session, "A session is not stored with the request."),
    (.har, "errand outbox run cannot record yet."), (.trace, "errand outbox run cannot record yet."),
    (.cache, "A stored request must reach its server."),
    (.curl, "--curl stores and sends nothing."), (.offline, "--offline stores and sends nothing."),
    (.print, "The response goes to standard output, with -i after its head."),
    (.writeOut, "The outcome is reported by the exit status."),
    (.file, "The response goes to standard output. Redirect it: > FILE."),
  ]

  /// True for a default option of the user's file that a stored request does without. `errand outbox run` takes the
  /// credentials from the file itself.
  static func omits(
    _ given: ScannedArguments.Given, of defaults: [ScannedArguments.Given], isDetached: Bool
  ) -> Bool {
    // The server's challenge is not stored, so the password would be sent as it is.
    let needsDigest =
      OptionSpec.passwords.contains(given.option) && defaults.contains { $0.option == .digest }
    return needsDigest || refused.contains { $0.0 == given.option }
      || isDetached && (given.isCredential || OptionSpec.ways.contains(given.option))
  }

  /// Refuses options that would have no effect, because they are not stored with a request.
  private static func refuseWhatIsNotStored(_ arguments: ScannedArguments) throws(UsageError) {
    if let (option, hint) = refused.first(where: { arguments.has($0.0) }) {
      throw UsageError("\(option.name) cannot be combined with --guaranteed", hint: hint)
    }
    guard arguments.has(.detach), let option = OptionSpec.ways.first(where: arguments.has) else { return }
    throw UsageError(
      "\(option.name) is not stored with the request, and with --detach another process sends it",
      hint: "Give the option to that process: errand outbox run \(option.name) ...")
  }
}
