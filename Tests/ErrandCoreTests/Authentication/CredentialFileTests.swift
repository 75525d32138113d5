import ErrandTesting
import FileCalls
import Foundation
import TestSupport
import Testing

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

  @Test func `a file that is missing is no credential, and what was written last is read`() async throws {
    #expect(try await file.read() == nil)
    for text in ["one", "a longer one", ""] {
      try await write(text)
      #expect(try await file.read() == Data(text.utf8))
    }
    #expect(try folder.names == ["credential", "credential.lock"])
  }

  @Test func `no other user can read it, whatever was there before`() async throws {
    // Left behind by a process that was killed.
    try folder.write("old", to: "credential.draft")
    try await write("one")
    for name in ["credential", "credential.lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func `a file that others could have read or written is refused`() async throws {
    try await write("one")
    for mode: mode_t in [0o640, 0o602, 0o666] {
      chmod(folder.path("credential"), mode)
      let error = await #expect(throws: FileError.self) { try await file.read() }
      #expect(error?.description.contains("chmod 600") == true)
    }
  }

  @Test func `a file or a lock with a second name is refused`() async throws {
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
  func `a file that is damaged fails the request, until somebody signs in`(text: String) async throws {
    try await write(text)
    let method = OAuth2(tokenURL: try #require(URL(string: "http://a.test/token")), clientID: "app")
    let session = CredentialSession(method, store: file)
    let stage = Stage.configured { configuration in
      configuration.baseURL = URL(string: "http://a.test/")
      configuration.authentication = Authentication(session)
    }.responding { _ in .response() }
    let error = await #expect(throws: RequestError.self) { try await stage.client.send(.get("x")) }
    #expect(error?.code == .refreshFailed)
    #expect(try await file.read() == Data(text.utf8))
    #expect(stage.stub.requests.isEmpty)
    try await session.signIn(OAuth2.Tokens(accessToken: "a"), identity: "me")
    try await stage.client.send(.get("x"))
    #expect(CredentialSession(method, store: file).identity.text != "me")
    #expect(
      try await CredentialSession(method, store: file).identityDigest()
        == CredentialIdentity(named: "me").digest)
  }

  @Test func `one holder at a time has it`() async throws {
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

  @Test func `a write is waited for even if its task is cancelled`() async throws {
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
}
