/// One option of the command line.
struct OptionSpec: Sendable, Hashable {
  let long: String?
  let short: Character?
  /// The placeholder of the value in help; nil for an option without a value.
  let placeholder: String?
  let help: String

  init(_ long: String?, _ short: Character? = nil, _ placeholder: String? = nil, _ help: String) {
    self.long = long
    self.short = short
    self.placeholder = placeholder
    self.help = help
  }

  var takesValue: Bool { placeholder != nil }

  /// The names with their dashes, the long one first.
  var names: [String] { [long.map { "--\($0)" }, short.map { "-\($0)" }].compactMap(\.self) }

  /// The option's name in messages: the long one if it has one.
  var name: String { names.first ?? "" }
}

extension OptionSpec {
  static let header = OptionSpec(
    "header", "H", "'Name: value'", "add a header field; 'Name:' removes it; may be repeated")
  static let request = OptionSpec(
    "request", "X", "METHOD", "the method; default: GET, or POST with a body, or PUT with -T")
  static let headOnly = OptionSpec("head", "I", nil, "get only the status and the header fields")
  static let agent = OptionSpec("user-agent", "A", "TEXT", "the value of User-Agent")
  static let cookie = OptionSpec("cookie", "b", "name=value", "send these cookies; may be repeated")
  static let referer = OptionSpec("referer", "e", "URL", "the value of Referer")
  static let query = OptionSpec(
    "query", "q", "name=value", "add to the URL's query, encoded; may be repeated")

  static let cache = OptionSpec(
    "cache", nil, "FOLDER", "keep responses there, and use them again as their servers allow")

  static let user = OptionSpec(
    "user", "u", "USER[:PASSWORD]",
    "log in; a password that is not given is asked for")
  static let netrc = OptionSpec(
    "netrc", nil, nil, "log in with the host's entry in ~/.netrc, or in the file $NETRC")
  static let digest = OptionSpec(
    "digest", nil, nil, "with -u or --netrc: use Digest, which never sends the password")
  static let bearer = OptionSpec("bearer", nil, "TOKEN|@FILE", "send a bearer token, or the one in a file")
  static let awsSigV4 = OptionSpec(
    "aws-sigv4", nil, "REGION:SERVICE", "sign for AWS, with the keys in AWS_ACCESS_KEY_ID, ...")
  static let sign = OptionSpec("sign", nil, "KEY.pem", "sign the request with this private key (RFC 9421)")
  static let keyID = OptionSpec("key-id", nil, "ID", "the ID by which the server knows the key of --sign")
  static let cover = OptionSpec(
    "cover", nil, "PART,...", "parts to sign; default: @method,@target-uri,content-digest")
  static let verify = OptionSpec(
    "verify", nil, "KEY.pem", "accept only a response that is signed with this key")
  static let verifyCover = OptionSpec(
    "verify-cover", nil, "PART,...",
    "parts that it must sign; default: @status,@method;req,@target-uri;req")
  static let verifyAge = OptionSpec(
    "verify-age", nil, "TIME", "the greatest age of its signature; default: 300s")
  static let session = OptionSpec(
    "session", nil, "FILE", "keep fields, login and cookies for later requests to the server")
  static let cookies = OptionSpec(
    "cookies", nil, "FILE", "send the cookies in this file, and store new ones there")

  static let data = OptionSpec(
    "data", "d", "DATA|@FILE|-", "body: this text, a file, or standard input")
  static let dataRaw = OptionSpec("data-raw", nil, "DATA", "body: this text, also if it begins with @")
  static let dataBinary = OptionSpec("data-binary", nil, "DATA|@FILE|-", "the same as -d")
  static let dataEncoded = OptionSpec(
    "data-urlencode", nil, "name=value", "body: this text, or the file in name@FILE, URL-encoded")
  static let ignoreInput = OptionSpec(
    "ignore-stdin", nil, nil, "take no body from what is piped to the command")
  static let asQuery = OptionSpec("get", "G", nil, "add the text of -d to the URL's query, and send no body")
  static let uploadFile = OptionSpec(
    "upload-file", "T", "FILE|-", "body: this file, with PUT; a URL that ends in / gets its name")
  static let json = OptionSpec(
    "json", nil, "JSON|@FILE", "body: JSON, checked and with its content type")
  static let form = OptionSpec("form", nil, "name=value", "body: a URL-encoded form; may be repeated")
  static let part = OptionSpec(
    "multipart", "F", "name=text|@FILE|<FILE",
    "body: a multipart form; ;type= and ;filename= may follow")
  static let compress = OptionSpec("compress", nil, nil, "compress the body with gzip")

  static let timeout = OptionSpec(
    "timeout", nil, "10s", "end an attempt after this time without progress; default: 10s")
  static let connectTimeout = OptionSpec(
    "connect-timeout", nil, "5s", "end an attempt that has not connected by then; default: --timeout"
  )
  static let deadline = OptionSpec(
    "deadline", nil, "1m", "end the request, with all attempts, after this time; default: never")
  static let retry = OptionSpec(
    "retry", nil, "3", "the most further attempts after a failure; default: 0")
  static let noRedirects = OptionSpec(
    "no-redirects", nil, nil, "do not follow redirects; show the 3xx response, which is a success")
  static let maxRedirects = OptionSpec(
    "max-redirs", nil, "10", "the most redirects to follow; default: 10")
  static let maxTime = OptionSpec("max-time", "m", "10s", "the same as --deadline")
  static let limitRate = OptionSpec(
    "limit-rate", nil, "500K", "the most bytes to send, and to receive, in a second")

  static let http2 = OptionSpec(
    "http2", nil, nil, "use HTTP/2 (for http URLs: with prior knowledge)")
  static let http1 = OptionSpec("http1.1", nil, nil, "use HTTP/1.1")
  static let ipv4 = OptionSpec("ipv4", "4", nil, "use only IPv4 addresses")
  static let ipv6 = OptionSpec("ipv6", "6", nil, "use only IPv6 addresses")
  static let unixSocket = OptionSpec(
    "unix-socket", nil, "PATH", "connect to this Unix socket, whatever the URL's host is")
  static let insecure = OptionSpec(
    "insecure", "k", nil, "accept any certificate: anybody may then read and change what is sent")
  static let authorities = OptionSpec(
    "cacert", nil, "FILE", "trust only the certificate authorities in this file (PEM)")
  static let certificate = OptionSpec(
    "cert", nil, "FILE[:PASSWORD]", "client certificate: PEM or PKCS #12; write a colon in FILE as \\:")
  static let key = OptionSpec("key", nil, "FILE", "private key of --cert (PEM), if it is in another file")
  static let keyPassword = OptionSpec(
    "key-password", nil, "@FILE", "file with the password of an encrypted key of --sign or --cert")
  static let tlsMinimum = OptionSpec(
    "tls-min", nil, "1.3", "the lowest TLS version to accept; default: 1.2")
  static let pin = OptionSpec(
    "pin", nil, "HOST=sha256/BASE64",
    "accept only this public key of HOST, or of all hosts; may be repeated")
  static let resolve = OptionSpec(
    "resolve", nil, "HOST:PORT:ADDRESS", "use this address for the host and port; may be repeated")
  static let proxy = OptionSpec(
    "proxy", "x", "URL", "use this proxy; none: use no proxy")
  static let proxyUser = OptionSpec(
    "proxy-user", nil, "USER:PASSWORD", "the user and the password for the proxy")
  static let proxyDigest = OptionSpec(
    "proxy-digest", nil, nil, "log in to the proxy with Digest, which never sends the password")

  static let include = OptionSpec(
    "include", "i", nil, "print the status and the header fields before the body")
  static let verbose = OptionSpec(
    "verbose", "v", nil, "show attempts, the heads that are sent and come, and timing")
  static let versions = OptionSpec("verbose", "v", nil, "also print the versions of the libraries")
  static let activity = OptionSpec(
    "activity", nil, "TEXT", "show this text and the progress while a request takes long")
  static let file = OptionSpec(
    nil, "o", "FILE", "write the body to this file once it is complete, and replace it")
  static let remoteName = OptionSpec(
    "remote-name", "O", nil, "write the body to a new file, named by the response or the URL")
  static let writeOut = OptionSpec(
    "write-out", "w", "FORMAT|@FILE", "print this after the response: %{http_code}, %{time_total}, ...")
  static let print = OptionSpec(
    "print", nil, "HBhb", "print head (H) and body (B) of the request, h and b of the response")
  static let offline = OptionSpec("offline", nil, nil, "print the request with --print HB; send nothing")
  static let parallel = OptionSpec("parallel", "Z", nil, "with several URLs and -O: get them at once")
  static let silent = OptionSpec("silent", "s", nil, "show no progress, also on a terminal")
  static let fail = OptionSpec("fail", "f", nil, "print no body of a response with an error status")
  static let failWithBody = OptionSpec(
    "fail-with-body", nil, nil, "an error status ends with 1, and its body is shown")
  static let har = OptionSpec(
    "har", nil, "FILE", "record attempts, header fields and bodies, without secrets (HAR 1.2)")
  static let trace = OptionSpec(
    "trace", nil, "FILE", "record the steps for chrome://tracing and Perfetto")
  static let curl = OptionSpec(
    "curl", nil, nil, "print the request as a curl command, without secrets; send nothing")
  static let raw = OptionSpec(
    "raw", nil, nil, "print JSON unformatted, also on a terminal")
  static let format = OptionSpec("output", nil, "json", "print one JSON object about the result")

  static let resume = OptionSpec(
    "resume", nil, nil, "continue a partial download, and keep the part if this one fails")
  static let resumeUpload = OptionSpec(
    "resume", nil, nil, "continue an interrupted upload, if the server supports it")
  static let tus = OptionSpec("tus", nil, nil, "with --resume: upload by tus 1.0, with POST")
  static let abandon = OptionSpec(
    "abandon", nil, nil, "remove from the server what arrived of an interrupted upload")
  static let method = OptionSpec("method", nil, "PUT", "the method of the upload; default: PUT")

  static let guaranteed = OptionSpec(
    "guaranteed", nil, nil, "store the request, then attempt it until it is delivered")
  static let lane = OptionSpec(
    "lane", nil, "NAME", "deliver the requests of this lane one at a time, in order")
  static let onlyLane = OptionSpec("lane", nil, "NAME", "only the requests of this lane")
  static let keyBy = OptionSpec(
    "key-by", nil, "lane", "separate limits and pauses for each lane name up to its first /")
  static let expires = OptionSpec("expires", nil, "7d", "give up after this time; default: never")
  static let notBefore = OptionSpec(
    "not-before", nil, "10m", "wait at least this long; default: send at once")
  static let id = OptionSpec(
    "id", nil, "ID", "the request's ID; a request with a known ID is not stored again")
  static let replace = OptionSpec("replace", nil, nil, "replace the waiting request that has this ID")
  static let store = OptionSpec(
    "store", nil, "FOLDER|URL", "the store: a folder, or postgres://HOST/DATABASE")
  static let bodiesFolder = OptionSpec(
    "bodies", nil, "FOLDER", "the separate folder of the store's large bodies, if it has one")
  static let detach = OptionSpec("detach", nil, nil, "only store the request, and print its ID")

  static let state = OptionSpec("state", nil, "STATE", "only requests in this state; may be repeated")
  static let limit = OptionSpec("limit", nil, "N", "at most N requests; default: all")
  static let after = OptionSpec(
    "after", nil, "ID", "only requests after this one (an ID, or a \"sequence\" from JSON)")
  static let only = OptionSpec(
    "only", nil, "id|lane", "print nothing but the IDs, or the names of the lanes, each on a line")
  static let everything = OptionSpec("all", nil, nil, "all requests that the command can change")
  static let untilEmpty = OptionSpec(
    "until-empty", nil, nil, "end when all requests have ended, or are paused or blocked")
  static let once = OptionSpec("once", nil, nil, "end when no remaining request can be attempted now")
  static let lastID = OptionSpec("last-id", nil, "ID", "begin after the event with this id")
  static let onceEvent = OptionSpec("once", nil, nil, "end after the first event")
  static let concurrency = OptionSpec("concurrency", nil, "16", "the most attempts at once; default: 16")
  static let grace = OptionSpec(
    "grace", nil, "10s", "how long attempts may still take after a signal; default: 10s")
  static let force = OptionSpec(
    "force", nil, nil, "also requests that are being attempted by a process that is gone or hangs")
  static let dryRun = OptionSpec("dry-run", nil, nil, "print the steps, and change nothing")
  static let oldest = OptionSpec("oldest", nil, "10m", "exit with 1 if a request has waited longer")
  static let port = OptionSpec("port", nil, "8090", "serve the page at this port; default: a free one")
  static let metrics = OptionSpec(
    "metrics", nil, "[HOST]:PORT",
    "serve metrics to Prometheus; default host: this machine, for all: 0.0.0.0")
  static let origin = OptionSpec(
    "to", nil, "URL", "send -H and --bearer only to this server; may be repeated")

  static let help = OptionSpec("help", "h", nil, "show this help")

  static let credentials = [user, netrc, digest, bearer, cookies, session]
  /// The options that authenticate a request, which can have one of them.
  static let logins = [user, netrc, bearer, awsSigV4]
  /// The log-ins with a password. `--digest` sends a digest of it instead.
  static let passwords = [user, netrc]
  static let signatures = [sign, keyID, cover, verify, verifyCover, verifyAge, awsSigV4]
  /// The options for requests whose responses cannot be verified before they are shown.
  static let signing = [sign, keyID, cover, awsSigV4]
  static let limits = [
    timeout, connectTimeout, deadline, retry, noRedirects, maxRedirects, limitRate,
  ]
  static let connection = [http1, http2] + ways
  static let bodies = [data, dataRaw, dataEncoded, json, form, part, compress, ignoreInput]
  static let shown =
    [include, verbose, activity, file, format, raw, print, offline, writeOut, silent, fail] + watching

  /// Options of curl that ask for what errand does anyway.
  static let habits = [
    OptionSpec("location", "L", nil, "redirects are followed"),
    OptionSpec("show-error", "S", nil, "errors are shown"),
    failWithBody,
    OptionSpec(
      "compressed", nil, nil, "compressed responses are asked for and decoded, but not for a file"),
    OptionSpec("globoff", "g", nil, "URLs are not patterns"),
    OptionSpec("no-buffer", "N", nil, "bytes are written as they come"),
  ]
  static let watching = [har, trace, curl]

  /// The options for the connection that `errand outbox run` also has.
  static let ways = [
    authorities, insecure, pin, certificate, key, keyPassword, tlsMinimum, resolve, ipv4, ipv6, unixSocket,
    proxy, proxyUser, proxyDigest,
  ]
  static let arriving = [
    guaranteed, lane, keyBy, expires, notBefore, id, replace, store, bodiesFolder, detach,
  ]
  static let ofOutbox =
    [state, onlyLane, limit, after, only, everything, force, untilEmpty, once, concurrency, grace, origin] + [
      dryRun, oldest, port,
    ]

  static let all =
    [header, query, agent, cookie, referer, cache] + credentials + signatures + bodies + limits + connection
    + shown + [
      request, headOnly, asQuery, uploadFile, dataBinary, maxTime, remoteName, parallel,
      resume, resumeUpload, tus, abandon, method, lastID, onceEvent,
    ]
    + habits + arriving + ofOutbox + [help]
}
