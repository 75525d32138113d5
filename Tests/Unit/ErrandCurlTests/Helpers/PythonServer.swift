import Foundation
import Programs
import TestSupport

/// A server that others wrote, in Python, on a free port of 127.0.0.1.
final class PythonServer: Sendable {
  /// The Python that has the packages: the one that `ERRAND_PYTHON` names, or that of `scripts/peers`.
  private static let python: String? = {
    if let path = ProcessInfo.processInfo.environment["ERRAND_PYTHON"] { return path.isEmpty ? nil : path }
    let own = URL(filePath: #filePath).appending(path: "../../../../../.build/peers/bin/python3")
      .standardizedFileURL
    return FileManager.default.isExecutableFile(atPath: own.path) ? own.path : nil
  }()

  /// Returns true if Python has a package.
  static func has(_ package: String) async -> Bool {
    guard let python else { return false }
    return (try? await Program.output(of: "env", [python, "-c", "import \(package)"])) != nil
  }

  private let program: Program
  private let folder: TemporaryFolder
  let port: Int

  /// - Parameter source: A program that prints its port when it listens.
  init(_ source: String) async throws {
    folder = try TemporaryFolder()
    let output = folder.file("output")
    try folder.write("", to: "output")
    let handle = try FileHandle(forWritingTo: output)
    program = try Program(
      "/usr/bin/env", [Self.python ?? "python3", "-c", source], in: folder.url.path,
      output: handle.fileDescriptor)
    try handle.close()
    var port: Int?
    try await waitUntil { [program] in
      guard program.isRunning else { throw Program.Failure(description: "a server in Python has ended") }
      let text = try String(contentsOf: output, encoding: .utf8)
      port = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first.flatMap {
        Int($0)
      }
      return port != nil
    }
    self.port = port ?? 0
  }

  deinit { program.send(SIGKILL) }

  var url: URL { URL(string: "http://127.0.0.1:\(port)/") ?? URL(filePath: "/") }
}

extension PythonServer {
  static let httpbin = """
    from httpbin import app
    from werkzeug.serving import make_server
    http = make_server("127.0.0.1", 0, app, threaded=True)
    print(http.port, flush=True)
    http.serve_forever()
    """

  /// An authorization server with Authlib that accepts each refresh token once, and echoes the query of
  /// `/me`.
  static let authlib = #"""
    import os, sys, time
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    from flask import Flask, jsonify, request
    from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
    from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
    from authlib.oauth2.rfc6750 import BearerTokenValidator
    from werkzeug.serving import make_server

    class Client(ClientMixin):
        def __init__(self, id, secret, methods):
            self.id, self.secret, self.methods = id, secret, methods
        def get_client_id(self): return self.id
        def get_default_redirect_uri(self): return None
        def get_allowed_scope(self, scope): return scope or ""
        def check_redirect_uri(self, uri): return False
        def check_client_secret(self, secret): return secret == self.secret
        def check_endpoint_auth_method(self, method, endpoint): return method in self.methods
        def check_response_type(self, type): return False
        def check_grant_type(self, type): return True

    class Token(TokenMixin):
        def __init__(self, data, client):
            self.data, self.client, self.revoked, self.made = data, client, False, time.time()
        def check_client(self, client): return client.id == self.client.id
        def get_scope(self): return self.data.get("scope", "")
        def get_expires_in(self): return self.data["expires_in"]
        def is_expired(self): return self.made + self.data["expires_in"] < time.time()
        def is_revoked(self): return self.revoked
        def get_user(self): return "user"
        def get_client(self): return self.client

    clients = {"app": Client("app", None, ["none"]), "job": Client("job", "hush", ["client_secret_basic"])}
    tokens = []
    first = {"access_token": "a0", "refresh_token": "r0", "expires_in": 0}
    tokens.append(Token(first, clients["app"]))

    class Refresh(grants.RefreshTokenGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic"]
        INCLUDE_NEW_REFRESH_TOKEN = True
        def authenticate_refresh_token(self, text):
            return next((t for t in tokens if t.data.get("refresh_token") == text and not t.revoked), None)
        def authenticate_user(self, token): return "user"
        def revoke_old_credential(self, token): token.revoked = True

    class Credentials(grants.ClientCredentialsGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]

    app = Flask("peer")
    app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"refresh_token": 3600, "client_credentials": 3600}
    app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
    server = AuthorizationServer(app, query_client=clients.get, save_token=lambda data, request: tokens.append(Token(data, request.client)))
    server.register_grant(Refresh)
    server.register_grant(Credentials)

    class Validator(BearerTokenValidator):
        def authenticate_token(self, text):
            return next((t for t in tokens if t.data["access_token"] == text), None)

    protect = ResourceProtector()
    protect.register_token_validator(Validator())
    count = [0]

    @app.post("/token")
    def token():
        count[0] += 1
        return server.create_token_response()

    @app.get("/me")
    @protect()
    def me(): return request.query_string

    @app.get("/refreshes")
    def refreshes(): return str(count[0])

    http = make_server("127.0.0.1", 0, app, threaded=True)
    print(http.port, flush=True)
    http.serve_forever()
    """#
}
