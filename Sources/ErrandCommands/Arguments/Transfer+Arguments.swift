import ErrandCore

extension Transfer {
  init(_ arguments: ScannedArguments, method: Method, url: String) throws(UsageError) {
    self.init(method: method, url: ValueParser.url(url))
    for text in arguments.values(.header) { fields.append(try ValueParser.field(text)) }
    for text in arguments.values(.query) { query.append(try ValueParser.pair(text, for: .query)) }
    body = try BodyArgument(arguments)
    isCompressed = arguments.has(.compress)
    try takeLimits(arguments)
    wantsHTTP2 = arguments.has(.http2)
    connection = try ConnectionArguments(arguments)
    showsHead = arguments.has(.include) || method == .head
    isVerbose = arguments.has(.verbose)
    activity = arguments.last(.activity)
    resumes = arguments.has(.resume)
    try takeOutput(arguments)
    guarantee = try Guarantee(arguments)
  }

  private mutating func takeLimits(_ arguments: ScannedArguments) throws(UsageError) {
    if let text = arguments.last(.timeout) { timeout = try ValueParser.duration(text, for: .timeout) }
    if let text = arguments.last(.deadline) { deadline = try ValueParser.duration(text, for: .deadline) }
    if let text = arguments.last(.retry) { retries = try ValueParser.count(text, for: .retry) }
    followsRedirects = !arguments.has(.noRedirects)
  }

  private mutating func takeOutput(_ arguments: ScannedArguments) throws(UsageError) {
    format = try OutputFormat(arguments)
    guard let file = arguments.last(.file) else { return }
    if file.isEmpty { throw UsageError("-o names no file") }
    // `-o -` is standard output, as in curl.
    if file == "-" { return }
    target = .file(file)
    showsProgress = true
  }
}
