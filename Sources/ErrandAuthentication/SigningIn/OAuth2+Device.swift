public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension OAuth2 {
  /// The code that a user enters on another device (RFC 8628).
  public struct DeviceCode: Sendable, Hashable {
    /// The code to show to the user.
    public let userCode: String
    /// The page on which the user enters it.
    public let verificationURL: URL
    /// The same page with the code in it, such as for a QR code; nil if the server has none.
    public let completeURL: URL?
    /// How long the user has time.
    public let lifetime: Duration
  }

  /// Signs a user in on another device, for programs without a browser: shows a code, and waits until the user has
  /// entered it (RFC 8628).
  ///
  /// ```swift
  /// let tokens = try await method.authorizeDevice(over: client) { code in
  ///   print("Open \(code.verificationURL), and enter \(code.userCode)")
  /// }
  /// try await session.signIn(tokens, identity: "ann")
  /// ```
  ///
  /// The server says how often it may be asked for the tokens: every 5 s, unless it says otherwise. A failure of the
  /// network, and the statuses 429 and 5xx, double the interval, and the next request waits at least as long as their
  /// `Retry-After` says. The last request comes shortly before the code expires, whatever the interval is.
  /// - Parameters:
  ///   - client: The client that sends the requests. Its credential is not sent.
  ///   - show: Shows the code to the user.
  /// - Throws: `SignInError`: `denied`, `expired` after the code's lifetime, or `rejected`; the error of the request for
  ///   the code; the error that `show` threw. Cancelling the task ends the sign-in.
  public func authorizeDevice(
    over client: Client, show: (DeviceCode) async throws -> Void
  ) async throws -> Tokens {
    let began = client.timeline.now()
    let reply = try await SignInError.rethrowing { try await deviceReply(over: client) }
    let code = try reply.code()
    try await show(code)
    let request = try signInRequest(
      [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", reply.deviceCode)],
      to: tokenURL, OAuth2Endpoint.token
    ).attempts(1)
    var polling = DevicePolling(interval: reply.interval?.value, ends: began + code.lifetime)
    while let wait = polling.wait(at: client.timeline.now()) {
      try await client.timeline.sleep(wait)
      let rest = polling.rest(at: client.timeline.now())
      guard rest > .zero else { break }
      do {
        let response = try await send(request, over: client, within: rest)
        return try tokens(from: response, at: client.date())
      } catch let error as OAuth2Error {
        try polling.failed(error)
      } catch let error as RequestError where DevicePolling.isTemporary(error) {
        polling.slowDown()
      }
    }
    try await client.timeline.sleep(polling.rest(at: client.timeline.now()))
    throw SignInError(.expired, "the user did not enter the code within \(code.lifetime.formattedSeconds)")
  }

  private func deviceReply(over client: Client) async throws -> DeviceReply {
    guard let deviceAuthorizationURL else {
      throw SignInError(
        .invalidConfiguration, "the device authorization endpoint is not known: set deviceAuthorizationURL")
    }
    if let problem = OAuth2Endpoint.problem(tokenURL, OAuth2Endpoint.token) {
      throw SignInError(.invalidConfiguration, problem)
    }
    var items: [(String, String)] = []
    if let scope { items.append(("scope", scope)) }
    // RFC 8628, section 3.1: the client's ID is a parameter unless the client authenticates itself otherwise.
    let request = try signInRequest(items, to: deviceAuthorizationURL, "device authorization endpoint")
    let response = try await send(request, over: client)
    guard response.status.isSuccess,
      let reply = try? JSONDecoder().decode(DeviceReply.self, from: response.data)
    else { throw OAuth2Error(response, from: "device authorization endpoint", at: client.date()) }
    return reply
  }
}

extension OAuth2.DeviceCode: CustomStringConvertible, CustomReflectable {
  /// The page and the lifetime, without the code.
  public var description: String {
    LogText.line(
      "a code for \(Secrets.standard.redact(verificationURL.absoluteString)), for \(lifetime.formattedSeconds)"
    )
  }
  /// A mirror that shows only the description.
  public var customMirror: Mirror { Mirror(self, children: ["code": description]) }
}

/// The response of a device authorization endpoint (RFC 8628, section 3.2).
struct DeviceReply: Decodable {
  let deviceCode: String
  let userCode: String
  let verificationURI: String
  let completeURI: String?
  let expiresIn: LenientNumber?
  let interval: LenientNumber?

  private enum CodingKeys: String, CodingKey {
    case deviceCode = "device_code"
    case userCode = "user_code"
    case verificationURI = "verification_uri"
    // Google's name.
    case verificationURL = "verification_url"
    case completeURI = "verification_uri_complete"
    case expiresIn = "expires_in"
    case interval
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    deviceCode = try values.decode(String.self, forKey: .deviceCode)
    userCode = try values.decode(String.self, forKey: .userCode)
    verificationURI =
      try values.decodeIfPresent(String.self, forKey: .verificationURI)
      ?? values.decode(String.self, forKey: .verificationURL)
    completeURI = try? values.decode(String.self, forKey: .completeURI)
    expiresIn = try values.decodeIfPresent(LenientNumber.self, forKey: .expiresIn)
    interval = try values.decodeIfPresent(LenientNumber.self, forKey: .interval)
  }

  /// Returns the code to show. The lifetime is at most a day, and 10 min if the server does not say it.
  /// - Throws: `SignInError` (`rejected`), if the server's values cannot be shown to a user.
  func code() throws(SignInError) -> OAuth2.DeviceCode {
    guard !deviceCode.isEmpty, 1...64 ~= userCode.utf8.count, userCode.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else {
      throw SignInError(.rejected, "the device authorization endpoint issued a code that cannot be entered")
    }
    guard let page = Self.page(verificationURI) else {
      throw SignInError(.rejected, "the device authorization endpoint named a page that is not https")
    }
    let seconds = min(max(0, expiresIn?.value ?? 600), 86_400)
    return OAuth2.DeviceCode(
      userCode: userCode, verificationURL: page, completeURL: completeURI.flatMap(Self.page),
      lifetime: .seconds(seconds))
  }

  private static func page(_ text: String) -> URL? {
    guard let url = URL(string: text), OAuth2Endpoint.problem(url, "") == nil else { return nil }
    return url
  }
}

/// Decides when a token endpoint is asked whether the user has entered the code (RFC 8628, section 3.5). Pure.
struct DevicePolling {
  private var interval: Duration
  /// How long the server asked to wait before the next request (`Retry-After`).
  private var asked = Duration.zero
  /// The time at which the code expires.
  private let ends: Duration
  /// True if the last request before the end has been sent.
  private var hasSentLast = false

  /// - Parameter interval: The server's interval in seconds; nil if it did not say one.
  init(interval: Double?, ends: Duration) {
    self.interval = .seconds(min(max(1, interval ?? 5), 3600))
    self.ends = ends
  }

  /// The time that the last request has before the code expires.
  private static var lastMoment: Duration { .seconds(2) }

  /// Returns how long to wait before the next request; nil after the last one. If the interval ends too late for that, a
  /// last request comes shortly before the end, because the user may have entered the code meanwhile.
  mutating func wait(at now: Duration) -> Duration? {
    let (wait, rest) = (max(interval, asked), rest(at: now))
    asked = .zero
    if wait < rest { return wait }
    guard rest > .zero, !hasSentLast else { return nil }
    hasSentLast = true
    return max(rest - Self.lastMoment, rest / 2)
  }

  /// Returns how long the code is still valid.
  func rest(at now: Duration) -> Duration { max(.zero, ends - now) }

  /// Handles a response without tokens.
  /// - Throws: `SignInError`, if the sign-in has ended.
  mutating func failed(_ error: OAuth2Error) throws(SignInError) {
    switch error.code {
    case "authorization_pending": break
    case "slow_down": interval += .seconds(5)
    case "access_denied": throw SignInError(.denied, "the access was denied (access_denied)")
    case "expired_token":
      throw SignInError(.expired, "the user did not enter the code in time (expired_token)")
    default:
      guard error.isTemporary else { throw SignInError(.rejected, error.reason) }
      asked = error.retryAfter ?? .zero
      slowDown()
    }
  }

  /// Doubles the interval, up to a minute.
  mutating func slowDown() { interval = max(interval, min(interval * 2, .seconds(60))) }

  /// True for a failure on the way to the server.
  static func isTemporary(_ error: RequestError) -> Bool {
    [.timedOut, .deadlineExceeded, .connectionLost, .cannotConnect, .cannotResolveHost].contains(error.code)
  }
}
