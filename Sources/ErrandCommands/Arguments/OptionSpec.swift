/// One option of the command line.
struct OptionSpec: Sendable, Hashable {
  let long: String?
  let short: Character?
  /// The name of the value in help; nil for an option without a value.
  let placeholder: String?
  let help: String

  init(_ long: String?, _ short: Character? = nil, _ placeholder: String? = nil, _ help: String) {
    self.long = long
    self.short = short
    self.placeholder = placeholder
    self.help = help
  }

  var takesValue: Bool { placeholder != nil }

  /// The option's name in messages.
  var name: String { long.map { "--\($0)" } ?? short.map { "-\($0)" } ?? "" }
}

extension OptionSpec {
  static let header = OptionSpec("header", "H", "'Name: value'", "add a field; may be repeated")
  static let query = OptionSpec("query", "q", "name=value", "add to the query, encoded; may be repeated")

  static let user = OptionSpec(
    "user", "u", "USER:PASSWORD", "log in; the list of processes shows the password")
  static let netrc = OptionSpec(
    "netrc", nil, nil, "log in as ~/.netrc, or the file $NETRC, says for the host and user")
  static let digest = OptionSpec("digest", nil, nil, "with -u or --netrc: never send the password itself")
  static let bearer = OptionSpec("bearer", nil, "TOKEN|@FILE", "send a bearer token, or the one in a file")
  static let awsSigV4 = OptionSpec(
    "aws-sigv4", nil, "REGION:SERVICE", "sign for AWS; the keys are in AWS_ACCESS_KEY_ID, ...")
  static let sign = OptionSpec("sign", nil, "KEY.pem", "sign the request with this private key (RFC 9421)")
  static let keyID = OptionSpec("key-id", nil, "ID", "the name by which the server knows that key")
  static let cover = OptionSpec(
    "cover", nil, "PART,...", "sign these; default: @method,@target-uri,content-digest")
  static let verify = OptionSpec(
    "verify", nil, "KEY.pem", "accept a response only if it is signed with this key")
  static let verifyCover = OptionSpec(
    "verify-cover", nil, "PART,...",
    "cover these parts; default: @status,@method;req,@target-uri;req")
  static let verifyAge = OptionSpec(
    "verify-age", nil, "TIME", "the greatest age of its signature; default: 300s")
  static let cookies = OptionSpec(
    "cookies", nil, "FILE", "send the cookies in a file, and keep new ones there")

  static let data = OptionSpec(
    "data", "d", "DATA|@FILE|-", "body: these bytes, a file's, or standard input's")
  static let json = OptionSpec(
    "json", nil, "JSON|@FILE", "body: JSON, which is checked, with its content type")
  static let form = OptionSpec("form", nil, "name=value", "body: a URL-encoded form; may be repeated")
  static let part = OptionSpec(
    "multipart", "F", "name=value|name=@file", "body: a multipart form; may be repeated")
  static let compress = OptionSpec("compress", nil, nil, "send the body compressed with gzip")

  static let timeout = OptionSpec(
    "timeout", nil, "10s", "end an attempt when nothing moves for so long; default: 10s")
  static let connectTimeout = OptionSpec(
    "connect-timeout", nil, "5s", "end an attempt that has no connection by then; default: --timeout"
  )
  static let deadline = OptionSpec("deadline", nil, "1m", "end it all after this time; default: never")
  static let retry = OptionSpec(
    "retry", nil, "3", "after a failure, attempt again up to so many times; default: 0")
  static let noRedirects = OptionSpec("no-redirects", nil, nil, "follow no redirect: the 3xx is the response")

  static let http2 = OptionSpec("http2", nil, nil, "speak HTTP/2 (over http: without asking first)")
  static let authorities = OptionSpec("cacert", nil, "FILE", "trust these authorities (PEM), no others")
  static let certificate = OptionSpec(
    "cert", nil, "FILE[:PASSWORD]", "show this certificate: PEM, or PKCS #12; \\: is a colon")
  static let key = OptionSpec("key", nil, "FILE", "the key of --cert (PEM), if it is not beside it")
  static let keyPassword = OptionSpec(
    "key-password", nil, "@FILE", "the password in a file, for an encrypted key of --sign or --cert")
  static let tlsMinimum = OptionSpec(
    "tls-min", nil, "1.3", "speak this version of TLS or later; default: 1.2")
  static let pin = OptionSpec(
    "pin", nil, "HOST=sha256/BASE64",
    "accept this key only, of that host (or of all); may be repeated")
  static let resolve = OptionSpec(
    "resolve", nil, "HOST:PORT:ADDRESS", "use this address for that host; may be repeated")
  static let proxy = OptionSpec(
    "proxy", nil, "URL", "go through this proxy; none: through no proxy at all")
  static let proxyUser = OptionSpec(
    "proxy-user", nil, "USER:PASSWORD", "the user and the password for the proxy")
  static let proxyDigest = OptionSpec(
    "proxy-digest", nil, nil, "send the proxy no password, but Digest's responses")

  static let include = OptionSpec("include", "i", nil, "show the status and the fields")
  static let verbose = OptionSpec(
    "verbose", "v", nil, "show the attempts, their fields, redirects and the timing")
  static let activity = OptionSpec(
    "activity", nil, "TEXT", "say this while it takes long, and how far it is")
  static let file = OptionSpec(nil, "o", "FILE", "write the body to this file once it is whole")
  static let har = OptionSpec(
    "har", nil, "FILE", "record attempts, fields and bodies, without secrets (HAR 1.2)")
  static let trace = OptionSpec(
    "trace", nil, "FILE", "record the steps, for chrome://tracing and Perfetto")
  static let curl = OptionSpec(
    "curl", nil, nil, "print this as a command of curl, without secrets, and send nothing")
  static let raw = OptionSpec(
    "raw", nil, nil, "print JSON as it came, also on a terminal")
  static let format = OptionSpec("output", nil, "json", "print one JSON object about the response")

  static let resume = OptionSpec(
    "resume", nil, nil, "go on with what an earlier attempt left; leave it if this fails")
  static let method = OptionSpec("method", nil, "PUT", "the method to upload with")

  static let guaranteed = OptionSpec(
    "guaranteed", nil, nil, "store it first, then try until it is delivered, or control-C")
  static let lane = OptionSpec("lane", nil, "NAME", "one of a lane at a time, in order")
  static let keyBy = OptionSpec(
    "key-by", nil, "lane", "limits and pauses for each lane, up to its first /")
  static let expires = OptionSpec("expires", nil, "7d", "give up after this time; default: never")
  static let notBefore = OptionSpec("not-before", nil, "10m", "send it after this time; default: at once")
  static let id = OptionSpec("id", nil, "ID", "its ID; one that is known already is stored once")
  static let replace = OptionSpec("replace", nil, nil, "take the place of the one with this ID that waits")
  static let store = OptionSpec(
    "store", nil, "FOLDER|URL", "where it is stored: another folder, or postgres://HOST/DATABASE")
  static let detach = OptionSpec("detach", nil, nil, "store it only, and print its ID")

  static let state = OptionSpec("state", nil, "STATE", "only those in this state; may be repeated")
  static let limit = OptionSpec("limit", nil, "N", "at most so many; default: all")
  static let after = OptionSpec(
    "after", nil, "ID", "those after this request, or this place (sequence in JSON)")
  static let everything = OptionSpec("all", nil, nil, "everything that it can be done to")
  static let untilEmpty = OptionSpec(
    "until-empty", nil, nil, "end when nothing is left that can go without help")
  static let once = OptionSpec("once", nil, nil, "end when nothing is left that can go now")
  static let concurrency = OptionSpec("concurrency", nil, "16", "so many attempts at once, at most")
  static let grace = OptionSpec("grace", nil, "10s", "when told to stop, let attempts end for so long")
  static let force = OptionSpec(
    "force", nil, nil, "also free requests that are being attempted: their process is gone or hangs")
  static let dryRun = OptionSpec("dry-run", nil, nil, "say what would be done, and do nothing")
  static let oldest = OptionSpec("oldest", nil, "10m", "fail if a request has waited for longer")
  static let port = OptionSpec("port", nil, "8090", "serve it at this port; default: a free one")
  static let origin = OptionSpec("to", nil, "URL", "-H goes to this server only; may be repeated")

  static let help = OptionSpec("help", "h", nil, "show this")

  static let credentials = [user, netrc, digest, bearer, cookies]
  static let signatures = [sign, keyID, cover, verify, verifyCover, verifyAge, awsSigV4]
  static let limits = [timeout, connectTimeout, deadline, retry, noRedirects]
  static let connection = [http2] + ways
  static let bodies = [data, json, form, part, compress]
  static let shown = [include, verbose, activity, file, format, raw] + watching
  static let watching = [har, trace, curl]

  /// The options that say how a server is reached, which keys are trusted, and who asks.
  static let ways = [
    authorities, pin, certificate, key, keyPassword, tlsMinimum, resolve, proxy, proxyUser, proxyDigest,
  ]
  static let arriving = [guaranteed, lane, keyBy, expires, notBefore, id, replace, store, detach]
  static let ofOutbox =
    [state, limit, after, everything, force, untilEmpty, once, concurrency, grace, origin] + [
      dryRun, oldest, port,
    ]

  static let all =
    [header, query] + credentials + signatures + bodies + limits + connection + shown + [resume, method]
    + arriving
    + ofOutbox + [help]
}
