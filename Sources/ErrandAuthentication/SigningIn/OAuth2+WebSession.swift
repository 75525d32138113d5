#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  public import AuthenticationServices
  public import ErrandCore
  public import Foundation

  extension OAuth2 {
    /// Signs a user in with the system's sheet (`ASWebAuthenticationSession`), with the authorization code and PKCE
    /// (RFC 7636).
    ///
    /// ```swift
    /// let tokens = try await method.authorize(
    ///   over: client, redirect: URL(string: "com.example.app:/callback")!, from: window)
    /// try await session.signIn(tokens, identity: "ann")
    /// ```
    /// - Parameters:
    ///   - client: The client that sends the request for the tokens. Its credential is not sent.
    ///   - redirect: The URL to which the server redirects, with a scheme of the app.
    ///   - anchor: The window that the sheet belongs to.
    ///   - isEphemeral: True to share no cookies with the browser, so that the user signs in each time. Default: false.
    ///   - parameters: Further parameters for the server, such as `prompt` or `audience`. Default: none.
    /// - Throws: `SignInError`: `cancelled`, if the user has closed the sheet; the error of the request for the tokens.
    ///   Cancelling the task closes the sheet.
    @MainActor public func authorize(
      over client: Client, redirect: URL, from anchor: ASPresentationAnchor, isEphemeral: Bool = false,
      parameters: KeyValuePairs<String, String> = [:]
    ) async throws -> Tokens {
      let authorization = try authorization(redirect: redirect, parameters: parameters)
      let redirected = try await WebSession(anchor).redirect(of: authorization, isEphemeral: isEphemeral)
      return try await tokens(for: authorization, redirectedTo: redirected, over: client)
    }
  }

  /// The system's sheet for one sign-in.
  @MainActor private final class WebSession: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: ASPresentationAnchor

    init(_ anchor: ASPresentationAnchor) { self.anchor = anchor }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }

    func redirect(of authorization: OAuth2.Authorization, isEphemeral: Bool) async throws -> URL {
      let received = Promise<URL>()
      let session = ASWebAuthenticationSession(
        url: authorization.url, callbackURLScheme: authorization.redirect.scheme
      ) { @Sendable url, error in
        // The system does not say on which thread it calls this.
        received.settle(url.map { .success($0) } ?? .failure(Self.failure(error)))
      }
      session.presentationContextProvider = self
      session.prefersEphemeralWebBrowserSession = isEphemeral
      guard session.start() else {
        throw SignInError(.invalidConfiguration, "the system's sheet for the sign-in cannot be shown")
      }
      do { return try await received.value() } catch {
        // The sheet closes with the task.
        session.cancel()
        throw error
      }
    }

    private nonisolated static func failure(_ error: (any Error)?) -> SignInError {
      guard (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin else {
        return SignInError(.rejected, "the system's sheet ended without a redirect")
      }
      return SignInError(.cancelled, "the user has closed the sign-in")
    }
  }
#endif
