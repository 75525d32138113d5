import ErrandCore

/// The options and operands for one request.
struct Transfer: Sendable, Hashable {
  /// The destination of the response's body.
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
  /// The text to show while the request takes long.
  var activity: String?
  /// True for a command that uploads or downloads a file.
  var showsProgress = false
  /// How the request is stored, if it must be delivered.
  var guarantee: Guarantee?
}
