import ErrandCore

/// Everything that the command line says about one request.
struct Transfer: Sendable, Hashable {
  /// Where the body of the answer goes.
  enum Target: Sendable, Hashable {
    case standardOutput
    case file(String)
    /// A file named by the URL, which must not exist yet.
    case fileNamedByURL
  }

  var method: Method
  var url: String
  var fields: [HTTPFields.Field] = []
  var query: [NameAndValue] = []
  var body = BodyArgument.none
  var isCompressed = false
  var timeout: Duration?
  var deadline: Duration?
  var retries = 0
  var followsRedirects = true
  var wantsHTTP2 = false
  var connection = ConnectionArguments()
  var showsHead = false
  var isVerbose = false
  var target = Target.standardOutput
  var format = OutputFormat.plain
  var resumes = false
  /// What to say while it takes long.
  var activity: String?
  /// True for a command whose point is to move a file.
  var showsProgress = false
  /// How it is stored, if it must arrive.
  var guarantee: Guarantee?
}
