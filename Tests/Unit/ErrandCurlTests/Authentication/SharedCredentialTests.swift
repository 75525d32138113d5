import ErrandAuthentication
import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

@testable import ErrandCore

/// Processes that share a credential file, and a server that accepts each refresh token once.
@Suite(.timeLimit(.minutes(1))) struct SharedCredentialTests {
  /// A process that sends requests with the credential of a file.
  private struct User: Sendable {
    let name: String
    let program: RecordedProgram

    init(_ name: String, _ server: TokenServer, _ folder: TemporaryFolder, count: Int, rounds: Int = 1) throws
    {
      self.name = name
      program = try RecordedProgram(
        Program.built("CredentialUser"),
        [folder.path("credential"), "http://127.0.0.1:\(server.http.port)", name, "\(count)", "\(rounds)"],
        output: folder.file("output of \(name)"))
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func signIn(_ server: TokenServer) async throws {
    let session = CredentialSession(server.method, store: CredentialFile(at: folder.file("credential")))
    try await session.signIn(TokenServer.tokens, identity: "alice")
  }

  private func users(_ server: TokenServer, count: Int, rounds: Int = 1) throws -> [User] {
    try ["one", "two", "three"].map { try User($0, server, folder, count: count, rounds: rounds) }
  }

  private func expectRight(_ users: [User], _ count: Int, rounds: Int = 1) async {
    for user in users {
      #expect(await user.program.end() == .exited(0))
      #expect(user.program.lines == Array(repeating: "right \(count)", count: rounds), "by \(user.name)")
    }
  }

  @Test func `three processes refresh a credential once`() async throws {
    let server = try TokenServer()
    try await signIn(server)
    await expectRight(try users(server, count: 70), 70)
    #expect(server.refreshes.count == 1)
  }

  @Test func `three processes refresh a credential once each time it expires`() async throws {
    let server = try TokenServer()
    try await signIn(server)
    // After this number of requests the current token expires, three times in all.
    server.state.withLock { $0.usesOfNext = [150, 150, 150] }
    let users = try users(server, count: 20, rounds: 20)
    await expectRight(users, 20, rounds: 20)
    let (refreshes, expired) = server.state.withLock { ($0.refreshes.count, $0.expired) }
    #expect(expired == 3)
    #expect(refreshes == expired + 1 && server.reused.isEmpty)
  }

  @Test func `the other processes continue when one is killed before the server has replaced the token`()
    async throws
  {
    let server = try TokenServer { number, response in number == 1 ? (.stall, false) : (response, true) }
    try await signIn(server)
    let users = try users(server, count: 20)
    try await reach { !server.refreshes.isEmpty }
    let first = try #require(server.refreshes.first)
    for user in users where user.name == first { await user.program.kill() }
    await expectRight(users.filter { $0.name != first }, 20)
    #expect(server.refreshes.count == 2 && server.reused.isEmpty)
  }

  @Test func `the other processes continue when one is killed after it stored the new token`() async throws {
    let server = try TokenServer()
    try await signIn(server)
    let file = folder.file("credential")
    let before = try Data(contentsOf: file)
    let users = try users(server, count: 20, rounds: 2)
    try await reach { try Data(contentsOf: file) != before }
    let first = try #require(server.refreshes.first)
    for user in users where user.name == first { await user.program.kill() }
    await expectRight(users.filter { $0.name != first }, 20, rounds: 2)
    #expect(server.refreshes.count == 1)
  }

  /// The new token was in a process that has died: see `RefreshOnSocketsTests`.
  @Test(arguments: [false, true])
  func
    `killing a process that has the new token signs the others out, unless the server allows a grace period`(
      hasGrace: Bool
    ) async throws
  {
    let server = try TokenServer(hasGrace: hasGrace) { number, response in
      (number == 1 ? response.stalling(at: .start) : response, true)
    }
    try await signIn(server)
    let users = try users(server, count: 10)
    try await reach { !server.refreshes.isEmpty }
    let first = try #require(server.refreshes.first)
    for user in users where user.name == first { await user.program.kill() }
    let others = users.filter { $0.name != first }
    if hasGrace {
      await expectRight(others, 10)
      #expect(server.refreshes.count == 2)
    } else {
      for user in others {
        #expect(await user.program.end() == .exited(0))
        #expect(user.program.lines.last == "right 0")
        // A request in flight was cancelled.
        let ends = ["has to sign in again", "signed out"]
        #expect(
          user.program.lines.dropLast().allSatisfy { line in ends.contains { line.contains($0) } },
          "\(user.program.lines)")
      }
    }
  }

  @Test func `only the user can read the file of the credential`() async throws {
    let server = try TokenServer()
    try await signIn(server)
    for name in ["credential", "credential.lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }
}
