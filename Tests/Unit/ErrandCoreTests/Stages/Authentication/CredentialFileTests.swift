import ErrandTesting
import FileCalls
import Foundation
import TestSupport
import Testing

@testable import ErrandAuthentication
@testable import ErrandCore

@Suite struct CredentialFileTests {
  private final class Holders: Sendable {
    private let state = Locked((now: 0, most: 0))
    var most: Int { state.withLock { $0.most } }
    func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func leave() { state.withLock { $0.now -= 1 } }
  }

  private let folder: TemporaryFolder
  private let file: CredentialFile

  init() throws {
    folder = try TemporaryFolder()
    file = CredentialFile(at: folder.file("credential"))
  }

  private func write(_ text: String) async throws {
    try await file.exclusively { [file] in try await file.write(Data(text.utf8)) }
  }

  @Test func `a missing file means no credential, and the last write is the one that is read`() async throws {
    #expect(try await file.read() == nil)
    for text in ["one", "a longer one", ""] {
      try await write(text)
      #expect(try await file.read() == Data(text.utf8))
    }
    #expect(try folder.names == ["credential", "credential.lock"])
  }

  @Test func `no other user can read the file, whatever was there before`() async throws {
    // A file of another program.
    try folder.write("mine", to: "credential.draft")
    try await write("one")
    #expect(try String(contentsOf: folder.file("credential.draft"), encoding: .utf8) == "mine")
    for name in ["credential", "credential.lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func `a file that other users could have read or written is refused`() async throws {
    try await write("one")
    for mode: mode_t in [0o640, 0o602, 0o666] {
      chmod(folder.path("credential"), mode)
      let error = await #expect(throws: FileError.self) { try await file.read() }
      #expect(error?.description.contains("chmod 600") == true)
    }
  }

  @Test func `a file or a lock with a second hard link is refused`() async throws {
    try await write("one")
    link(folder.path("credential"), folder.path("elsewhere"))
    await #expect(throws: FileError.self) { try await file.read() }
    unlink(folder.path("elsewhere"))
    link(folder.path("credential.lock"), folder.path("elsewhere"))
    await #expect(throws: FileError.self) { try await write("two") }
  }

  @Test func `a file that is too long is not read`() async throws {
    try await write("one")
    truncate(folder.path("credential"), 1 << 40)
    let error = await #expect(throws: FileError.self) { try await file.read() }
    #expect(error?.description.contains("too long") == true)
  }

  @Test(arguments: [
    "", "{", "{}", #"{"revision":1e99,"identity":"a"}"#,
    #"{"revision":9223372036854775807,"identity":"a","credential":"e30="}"#,
    #"{"revision":-1,"identity":"a","credential":"e30="}"#,
    #"{"revision":1,"identity":"a","credential":"?"}"#, #"{"revision":1,"identity":"a","credential":"e30="}"#,
  ])
  func `a damaged file fails requests until the next sign-in`(text: String) async throws {
    try await write(text)
    let method = OAuth2(tokenURL: try #require(URL(string: "https://a.test/token")), clientID: "app")
    let session = CredentialSession(method, store: file)
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
    }.responding { _ in .response() }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
    #expect(error?.code == .refreshFailed)
    #expect(error?.message.contains("sign in again to replace it") == true)
    #expect(try await file.read() == Data(text.utf8))
    #expect(stage.stub.requests.isEmpty)
    try await session.signIn(OAuth2.Tokens(accessToken: "a"), identity: "me")
    try await stage.client.send(.get("x"))
    #expect(CredentialSession(method, store: file).identity.text != "me")
    #expect(
      try await CredentialSession(method, store: file).identityDigest(on: Timeline(ContinuousClock()))
        == CredentialIdentity(named: "me").digest)
  }

  @Test(arguments: [
    "-----BEGIN PRIVATE KEY-----\n", "x", "[]", "{}", "{\"revision\":1}",
    "{\"revision\":1,\"identity\":\"a\",\"notes\":\"mine\"}", "{\"errand\":\"cookies\"}\n",
  ])
  func `a file that Errand did not write is neither read nor replaced, whichever identity signs in or out`(
    text: String
  )
    async throws
  {
    try folder.write(text, to: "credential")
    chmod(folder.path("credential"), 0o600)
    let method = OAuth2(tokenURL: try #require(URL(string: "https://a.test/token")), clientID: "app")
    let session = CredentialSession(method, store: file)
    let error = await #expect(throws: FileError.self) { try await file.read() }
    #expect(error?.description.contains("choose another file") == true)
    await #expect(throws: FileError.self) {
      try await session.signIn(OAuth2.Tokens(accessToken: "a"), identity: "me")
    }
    await #expect(throws: FileError.self) { try await session.signOut() }
    #expect(try String(contentsOf: folder.file("credential"), encoding: .utf8) == text)
  }

  @Test func `a file of format version 1 is read, and replaced`() async throws {
    let text = #"{"credential":"e30=","identity":"me","revision":3}"#
    try folder.write(text, to: "credential")
    chmod(folder.path("credential"), 0o600)
    #expect(try await file.read() == Data(text.utf8))
    try await write("new")
    #expect(try await file.read() == Data("new".utf8))
  }

  private func method(_ grant: OAuth2.Grant) throws -> OAuth2 {
    OAuth2(
      tokenURL: try #require(URL(string: "https://a.test/token")), clientID: "app", clientSecret: "s",
      grant: grant)
  }

  /// A client whose token endpoint issues the token `new`, with which the server responds.
  private func stage(_ session: CredentialSession<OAuth2>) -> Stage {
    Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
    }.responding { request in
      if request.path == "/token" { return .response(body: #"{"access_token":"new","expires_in":3600}"#) }
      return .response(body: request.fields["Authorization"] ?? "none")
    }
  }

  private func place(_ text: String) throws {
    try folder.write(text, to: "credential")
    chmod(folder.path("credential"), 0o600)
  }

  private static let head = "{\"errand\":\"credential\",\"version\":1}\n"

  @Test(arguments: [
    "", head, head + "{\"revis", String(head.prefix(30)),
    head + #"{"revision":1,"identity":"a","credential":"e30="}"#,
    head + #"{"revision":-1,"identity":"a"}"#, head + "\u{0}\u{0}",
  ])
  func `a program replaces its damaged file, because it needs no sign-in`(text: String) async throws {
    try place(text)
    for _ in 0..<2 {
      let stage = stage(CredentialSession(try method(.clientCredentials), store: file))
      #expect(try await stage.client.send(.get("x")).text == "Bearer new")
    }
    #expect(try await file.read()?.isEmpty == false)
  }

  @Test func `a program neither sends nor replaces the credential of a user`() async throws {
    let user = CredentialSession(try method(.refreshToken), store: file)
    for expiry in [nil, Date(timeIntervalSince1970: 0)] {
      try await user.signIn(
        OAuth2.Tokens(accessToken: "ann's", refreshToken: "r", expiry: expiry), identity: "ann")
      let before = try Data(contentsOf: folder.file("credential"))
      let program = CredentialSession(try method(.clientCredentials), store: file)
      let stage = stage(program)
      let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
      #expect(error?.code == .refreshFailed)
      #expect(error?.message.contains("the stored credential is a user's") == true)
      #expect(stage.stub.requests.isEmpty)
      #expect(try await program.identityDigest(on: Timeline(ContinuousClock())) == nil)
      await #expect(throws: OtherCredentialKind.self) { try await program.signOut() }
      #expect(try Data(contentsOf: folder.file("credential")) == before)
    }
  }

  @Test func `a user's client neither sends nor replaces the token of a program`() async throws {
    let program = CredentialSession(try method(.clientCredentials), store: file)
    try await stage(program).client.send(.get("x"))
    let before = try Data(contentsOf: folder.file("credential"))
    let user = CredentialSession(try method(.refreshToken), store: file)
    let stage = stage(user)
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
    #expect(error?.message.contains("the stored credential is a program's") == true)
    #expect(stage.stub.requests.isEmpty)
    await #expect(throws: OtherCredentialKind.self) {
      try await user.signIn(OAuth2.Tokens(accessToken: "a"), identity: "ann")
    }
    #expect(try Data(contentsOf: folder.file("credential")) == before)
  }

  @Test func `a token that a program was given is that of a program`() async throws {
    let program = CredentialSession(try method(.clientCredentials), store: file)
    try await program.signIn(OAuth2.Tokens(accessToken: "given"), identity: "nightly")
    let stage = stage(CredentialSession(try method(.clientCredentials), store: file))
    #expect(try await stage.client.send(.get("x")).text == "Bearer given")
  }

  @Test func `only one process at a time has the file`() async throws {
    let holders = Holders()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { [path = folder.file("credential")] in
          try await CredentialFile(at: path).exclusively {
            holders.enter()
            await Task.yield()
            holders.leave()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(holders.most == 1)
  }

  @Test func `a write is completed even if its task is cancelled`() async throws {
    for number in 0..<50 {
      let task = Task { [file] in
        try await file.exclusively {
          withUnsafeCurrentTask { $0?.cancel() }
          try await file.write(Data("\(number)".utf8))
        }
      }
      _ = await task.result
      #expect(try await file.read() == Data("\(number)".utf8))
    }
  }

  @Test func `a symbolic link is refused, because a regular file would replace it`() async throws {
    try await write("one")
    let path = folder.path("link")
    symlink(folder.path("credential"), path)
    let linked = CredentialFile(at: URL(filePath: path))
    let error = await #expect(throws: FileError.self) { try await linked.read() }
    #expect(error?.description.contains("symbolic link") == true)
    unlink(folder.path("credential"))
    await #expect(throws: FileError.self, "A dangling link, too.") { try await linked.read() }
  }

  #if os(Linux)
    @Test
    func `a wait for a lock that a stopped process holds ends with its task, and leaves no thread behind`()
      async throws
    {
      let lock = open(folder.path("credential.lock"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      flock(lock, LOCK_EX)
      let tasks = (0..<20).map { _ in Task { [file] in try await file.exclusively {} } }
      // Each waiting thread has the file open.
      while try opened < 21 { await Task.yield() }
      for task in tasks { task.cancel() }
      for task in tasks { await #expect(throws: (any Error).self) { try await task.value } }
      while try opened > 1 { await Task.yield() }
      close(lock)
      try await write("one")
    }

    /// The number of descriptors that this process has on the lock file.
    private var opened: Int {
      get throws {
        let path = folder.path("credential.lock")
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == path
        }
      }
    }
  #endif

  @Test func `a removed file is written again for the identity that is signed in`() async throws {
    let session = CredentialSession(
      OAuth2(tokenURL: try #require(URL(string: "https://a.test/token")), clientID: "app"), store: file)
    try await session.signIn(OAuth2.Tokens(accessToken: "a0", refreshToken: "r"), identity: "me")
    let gate = StubGate()
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
    }.responding { request in
      switch request.path {
      case "/slow": .response(body: "slow").behind(gate)
      case "/token": .response(body: #"{"access_token":"a1"}"#)
      default: .response(status: request.fields["Authorization"] == "Bearer a1" ? 200 : 401)
      }
    }
    let slow = stage.client.start(.get("slow"))
    try await stage.stub.waitForRequests(1)
    unlink(folder.path("credential"))
    #expect(try await stage.client.send(.get("x")).status == 200)
    gate.open()
    #expect(await slow.result.requestError == nil, "It has the same identity as before.")
    #expect(
      try await session.identityDigest(on: Timeline(ContinuousClock()))
        == CredentialIdentity(named: "me").digest)
    #expect(
      try await CredentialSession(session.method, store: file).identityDigest(on: Timeline(ContinuousClock()))
        == CredentialIdentity(named: "me").digest)
  }

  @Test func `a wait for a lock that is held for too long ends with an error that explains it`() throws {
    let shared = ReplacedFile(path: folder.path("a"), lockPath: folder.path("a.lock"))
    let lock = try shared.lock(within: .zero)
    let error = #expect(throws: FileError.self) { try shared.lock(within: .milliseconds(20)) }
    #expect(error?.description.contains("another process has held its lock") == true)
    lock.unlock()
    _ = try shared.lock(within: .zero)
  }

  @Test func `credentials that another process has stored do not count as refreshes of this one`()
    async throws
  {
    let method = OAuth2(tokenURL: try #require(URL(string: "https://a.test/token")), clientID: "app")
    let (first, second) = (CredentialSession(method, store: file), CredentialSession(method, store: file))
    let valid = Locked("")
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(second)
    }.responding { request in
      .response(status: request.fields["Authorization"] == valid.withLock { $0 } ? 200 : 401)
    }
    for number in 0..<3 * RefusalRecord.limit {
      valid.withLock { $0 = "Bearer a\(number)" }
      try await first.signIn(OAuth2.Tokens(accessToken: "a\(number)"), identity: "me")
      #expect(try await stage.client.send(.get("x")).status == 200)
    }
    #expect(!stage.paths.contains("/token"))
  }
}
