#if canImport(Darwin)
  import ErrandCore
  import Foundation

  /// The decisions of a session's delegate, which FoundationNetworking does not support.
  extension ProtocolLoad {
    /// Reports a redirect to the session, which follows it with a new request. Returns false if the response
    /// is not a redirect.
    func tellRedirect(_ response: Response, of request: Request, _ original: URLRequest) throws -> Bool {
      guard binding.tellsRedirects, let next = try binding.client.redirected(request, by: response),
        let head = HTTPURLResponse(response)
      else { return false }
      var following = original
      following.url = next.url
      following.httpMethod = next.method.rawValue
      if next.method != request.method {
        following.httpBody = nil
        following.httpBodyStream = nil
      } else if original.httpBodyStream != nil {
        throw URLError(.requestBodyStreamExhausted)
      }
      following.allHTTPHeaderFields = Dictionary(
        next.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
      // A redirect may remove fields, such as those with credentials for another origin. So its fields are
      // applied last.
      following = following.errand { [fields = next.fields, method = next.method] sent in
        var sent = sent
        (sent.fields, sent.method) = (fields, method)
        return sent
      }
      tell { [following] urlProtocol, client in
        client.urlProtocol(urlProtocol, wasRedirectedTo: following, redirectResponse: head)
        // This load has ended, whatever the delegate decides about the next one.
        client.urlProtocol(urlProtocol, didFailWithError: URLError(.cancelled))
      }
      return true
    }

    /// Asks the session's delegate for a user and a password, if the server wants them and the client has
    /// none. Returns false if the delegate need not be asked.
    func ask(for response: Response, _ original: URLRequest) -> Bool {
      guard response.status == 401, let realm = response.basicRealm, let url = original.url,
        let host = url.host(), original.value(forHTTPHeaderField: "Authorization") == nil,
        original.httpBodyStream == nil
      else { return false }
      let space = URLProtectionSpace(
        host: host, port: url.port ?? (url.scheme == "https" ? 443 : 80), protocol: url.scheme, realm: realm,
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      let sender = ChallengeSender(self, response, original)
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0,
        failureResponse: HTTPURLResponse(response), error: nil, sender: sender)
      thread.perform { [self] in
        guard isLoading, let urlProtocol, let client = urlProtocol.client else { return }
        client.urlProtocol(urlProtocol, didReceive: challenge)
      }
      return true
    }

    /// Sends the request again with a credential.
    fileprivate func start(again original: URLRequest, _ credential: URLCredential) {
      var request = original
      let pair = Data("\(credential.user ?? ""):\(credential.password ?? "")".utf8)
      request.setValue("Basic \(pair.base64EncodedString())", forHTTPHeaderField: "Authorization")
      begin(request)
    }
  }

  extension Response {
    fileprivate var basicRealm: String? {
      let challenge = fields.values(of: "WWW-Authenticate").first { $0.lowercased().hasPrefix("basic") }
      guard let challenge else { return nil }
      guard let quote = challenge.firstRange(of: "realm=\"") else { return "" }
      return String(challenge[quote.upperBound...].prefix { $0 != "\"" })
    }
  }

  /// Applies the decision of a session's delegate about a challenge.
  private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    private let load: ProtocolLoad
    private let response: Response
    private let original: URLRequest

    init(_ load: ProtocolLoad, _ response: Response, _ original: URLRequest) {
      self.load = load
      self.response = response
      self.original = original
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
      load.start(again: original, credential)
    }

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
      load.tell(response, of: original)
    }

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
      load.tell(response, of: original)
    }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
      load.tell(response, of: original)
    }

    func cancel(_ challenge: URLAuthenticationChallenge) {
      load.fail(URLError(.userCancelledAuthentication), original)
    }
  }
#endif
