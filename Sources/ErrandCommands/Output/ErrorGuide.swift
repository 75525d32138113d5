import ErrandCore
import ErrandOutbox

/// The cause and the cure of each error code, for `errand help errors`. The article *Errors* has the same text.
struct ErrorGuide {
  let code: String
  let cause: String
  let cure: String

  private init(_ code: RequestError.Code, _ cause: String, _ cure: String) {
    self.init(code.rawValue, cause, cure)
  }

  private init(_ code: OutboxError.Code, _ cause: String, _ cure: String) {
    self.init(code.rawValue, cause, cure)
  }

  private init(_ code: String, _ cause: String, _ cure: String) {
    (self.code, self.cause, self.cure) = (code, cause, cure)
  }

  /// A `RequestError`: why a request has no response.
  static let requests = [
    ErrorGuide(
      .invalidRequest, "The URL, a header field or the body cannot be sent.",
      "Correct what the message names. It was found before anything was sent."),
    ErrorGuide(
      .cancelled, "The caller, its scope, its task or a newer request ended the request.",
      "Usually nothing is wrong: show no error. `cancellation` says who ended it."),
    ErrorGuide(
      .ignoredRepeat, "The same request was sent a moment before, and `ignoringRepeats` ignores it now.",
      "Nothing is wrong. For a request that differs, give `ignoringRepeats` another `key`."),
    ErrorGuide(
      .timedOut, "No byte was sent or received for the length of the time-out.",
      "Look at the network and the server. Raise `timeout` for a server that thinks for long."),
    ErrorGuide(
      .deadlineExceeded, "The whole call, with its attempts and waits, took longer than its `deadline`.",
      "Raise `deadline`, or ask for fewer attempts. `timing` says where the time went."),
    ErrorGuide(
      .cannotResolveHost, "The host name has no address, or the network is away.",
      "Check the name. Without a network, `waitsForNetwork` waits, and an outbox stores the request."),
    ErrorGuide(
      .cannotConnect, "No connection was made: it was refused, or the server or the proxy is unreachable.",
      "Check the port, the proxy and whether the server runs. The server has not seen the request."),
    ErrorGuide(
      .proxyAuthenticationFailed, "The proxy requires a user and a password (407), or refused them.",
      "Set the proxy's credentials (`--proxy-user`)."),
    ErrorGuide(
      .untrustedCertificate,
      "The server's certificate is expired, for another host, or from an authority that is not trusted.",
      "Compare the clock and the host name. For your own authority, set `certificateAuthorities` (`--cacert`)."
    ),
    ErrorGuide(
      .pinMismatch, "The server's public key is not among the pinned ones.",
      "Somebody may read the connection. If the server has a new key, pin it."),
    ErrorGuide(
      .tlsFailed, "TLS failed: no version in common, or the server refused the client's certificate.",
      "Compare the versions of TLS, and check the client's certificate and key."),
    ErrorGuide(
      .connectionLost, "The connection ended before the response was complete.",
      "`reachedServer` says whether the server may have the request. Retry a request that may run twice."),
    ErrorGuide(
      .invalidResponse, "The bytes from the server are not a valid HTTP response.",
      "Check that the port speaks HTTP, and https where you use https."),
    ErrorGuide(
      .badEncoding, "The body cannot be decompressed, or its coding is unknown.",
      "`undecoded()` gives you the body as it was transferred."),
    ErrorGuide(
      .integrityFailed,
      "The body does not match its digest, or the response lacks a required digest or signature.",
      "Do not use the body. Ask again; then look for a proxy that changes bodies."),
    ErrorGuide(
      .decryptionFailed, "The body cannot be decrypted, or is not encrypted although it must be.",
      "Compare the key and its name with the server's."),
    ErrorGuide(
      .bodyTooLarge, "A body is larger than its limit.",
      "Download it to a file, read it as a stream, or raise `memoryLimit` or `downloadLimit`."),
    ErrorGuide(
      .fieldsTooLarge, "The response's header fields exceed the limit.",
      "Look at the server, which may repeat a cookie. `maxFieldBytes` is the limit, 256 KiB."),
    ErrorGuide(
      .tooManyRedirects, "There were more redirects than allowed.",
      "Look for a circle, often because a cookie is missing. `RedirectPolicy.limit` sets the number."),
    ErrorGuide(
      .redirectRefused, "A redirect leads to an invalid URL, or the redirect policy does not allow it.",
      "Use the target's URL, or another `RedirectPolicy`."),
    ErrorGuide(
      .pageRefused, "The link to the next page is invalid, or leads to a page that was read before.",
      "Look at the server's `Link` fields. A circle of pages would never end."),
    ErrorGuide(
      .addressRefused, "The host leads to an address that the transport's `addressPolicy` refuses.",
      "Do not send it: it may be an attack on your network. Exceptions are possible (`publicOnly(except:)`)."),
    ErrorGuide(
      .rejected, "The server responded, and its status, content type or body was not accepted.",
      "Read `status`, `serverWords` and `bodyPrefix`. `accepting` accepts other statuses."),
    ErrorGuide(
      .decodingFailed, "The JSON of the response does not have the requested type.",
      "The message names the place. Compare your type with the server's documentation."),
    ErrorGuide(
      .bodyNotReplayable, "The body is a stream that has been read, and the request had to be sent again.",
      "Use data or a file, or a stream that can be opened again."),
    ErrorGuide(
      .bodyFailed, "Your stream failed before the body was complete.", "`underlying` is the stream's error."),
    ErrorGuide(
      RequestError.Code.fileUnreadable, "A file to upload is missing or cannot be read.",
      "Check the path and its permissions."),
    ErrorGuide(
      .fileChanged, "A file changed while it was uploaded, or since the previous attempt.",
      "Upload a copy, or wait until the file is complete."),
    ErrorGuide(
      .fileUnwritable,
      "The file for a download cannot be written: its folder is missing, or the disk is full.",
      "Create the folder, or make room. The downloaded part is kept and can be resumed."),
    ErrorGuide(
      .uploadFailed,
      "The server of a resumable upload contradicts itself, lost the upload, or refused its size.",
      "Upload it again. Check the server's limit, and that it keeps unfinished uploads."),
    ErrorGuide(
      .signedOut, "The client is signed out, or the identity must sign in again.", "Show the sign-in."),
    ErrorGuide(
      .otherIdentity, "The request was stored for another identity than the one that is signed in.",
      "It waits until that identity signs in. Drop it if that never happens."),
    ErrorGuide(
      .refreshFailed, "The credential could not be refreshed.",
      "`underlying` says why. Without a network the request can be repeated later."),
    ErrorGuide(
      .excessiveRefresh, "Several refreshes within a short time did not help.",
      "The server refuses new credentials: compare the scope, the audience and the clock."),
    ErrorGuide(
      .dependencyFailed, "A call that this request waits for failed.",
      "`underlying` is the error of that call."),
    ErrorGuide(
      .invalidConfiguration, "A client certificate or a pin cannot be read, or a password is wrong.",
      "Correct the file that the message names. `checkConfiguration()` finds it at the start."),
    ErrorGuide(
      .unsupported, "The transport does not support an option of the request, and sends nothing without it.",
      "Remove the option, or use the transport that the message names."),
  ]

  /// An `OutboxError`: why an outbox did not do what it was asked to do.
  static let outboxes = [
    ErrorGuide(
      .full, "The request would exceed the outbox's caps.",
      "Deliver or drop requests, or raise `caps`. Nothing was stored."),
    ErrorGuide(
      .known, "The outbox has a request with this ID already.",
      "Usually nothing is wrong: it is stored. `ifKnown: .replace` replaces one that waits."),
    ErrorGuide(
      .notStorable, "The request's body is a stream, or the request has a credential.",
      "Write the body to a file. Let the client add the credential at each attempt."),
    ErrorGuide(
      OutboxError.Code.fileUnreadable, "A file of the request cannot be read.",
      "Check the path and its permissions."),
    ErrorGuide(
      .diskFull, "The disk is full.",
      "Make room. The request was not stored, and all earlier requests still are."),
    ErrorGuide(
      .notWritable, "The folder or a file in it is missing, or must not be written.",
      "Check the path, its owner and its permissions, and use a local disk."),
    ErrorGuide(
      .busy, "Another process locked the store for too long.",
      "Repeat it. Look for a program that is stopped."),
    ErrorGuide(
      .damaged, "The store's file is damaged, or is another program's.",
      "Keep a copy. `sqlite3 outbox.sqlite .recover` saves what is readable."),
    ErrorGuide(
      .tooNew, "A newer version of Errand wrote the store.", "Update this program. The store was not changed."
    ),
    ErrorGuide(
      .wrongKey, "The key is missing or is not the one that encrypted the stored requests.",
      "Pass the key with which they were stored."),
    ErrorGuide(.badImport, "The lines to import are not those of an export.", "The message names the line."),
    ErrorGuide(.closed, "The outbox was closed.", "Open it again. Stored requests are kept."),
    ErrorGuide(
      .forgotten, "The request ended so long ago that its record is gone.",
      "Raise `retention`, which is 7 days, to ask later."),
    ErrorGuide(
      .unconfirmed, "The database did not confirm in time that the change was made.",
      "Repeat it with the same ID. The change is made once."),
    ErrorGuide(.failed, "The system failed in another way.", "The message has the system's reason."),
  ]
}
