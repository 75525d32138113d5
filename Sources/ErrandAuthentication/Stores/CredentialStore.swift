import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps one identity's credential for the next start and for other processes, in a file (`CredentialFile`)
/// or a keychain.
///
/// A new credential is stored before it is used. If a server issues a new refresh token with each refresh
/// (RFC 6749, section 6), the old token is useless afterwards.
public protocol CredentialStore: Sendable {
  /// Returns the data that was stored last; nil if nothing is stored.
  func read() async throws -> Data?
  /// Returns a value that changes with each write, whichever process writes; nil if the store cannot tell.
  ///
  /// A session calls this method before each attempt, so it has to be quick. If the value has changed, the
  /// session reads the store. Default: nil; the store is then read once a second while requests are sent.
  func version() -> String?
  /// Replaces the stored data. Returns when the new data would survive a crash. Called within `exclusively`.
  func write(_ data: Data) async throws
  /// Runs `body` while no other process does: two processes with one refresh token must not refresh at the
  /// same time.
  func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

extension CredentialStore {
  /// Nil: the store is read once a second while requests are sent.
  public func version() -> String? { nil }
}

/// The identity that a store names, and the revision of the store in which it does.
struct StoredMark: Sendable {
  let revision: Int
  let owner: CredentialIdentity
}

/// A change that another process has stored.
struct CredentialNews<Credential: Sendable>: Sendable {
  let mark: StoredMark
  /// Nil if the other process has signed out.
  let credential: Credential?
}

/// A new credential.
struct RenewedCredential<Credential: Sendable>: Sendable {
  let credential: Credential
  /// Nil without a store.
  var stored: StoredMark?
  /// True if another process, or an earlier start, has stored it.
  var isFound = false
}

/// The error for stored data that is not a credential of this kind.
struct DamagedCredential: ShownError, CustomStringConvertible {
  var description: String {
    "the stored credential is damaged, or another program's: sign in again to replace it"
  }
}

/// A credential store, and the coding of this kind of credential.
final class CredentialVault<Credential: Sendable>: Sendable {
  /// The stored form. A sign-out is stored, too, so that other processes learn of it.
  private struct Entry: Codable {
    var revision: Int
    var identity: String
    /// Nil if the app named the identity.
    var isUnnamed: Bool?
    var credential: Data?

    var mark: StoredMark { StoredMark(revision: revision, owner: owner) }

    var owner: CredentialIdentity {
      isUnnamed == true ? CredentialIdentity(withoutName: identity) : CredentialIdentity(named: identity)
    }
  }

  private struct State {
    /// The revision that this process has read or written last.
    var revision = 0
    /// A new credential that could not be stored. A second refresh would need the credential that this one
    /// replaced.
    var unsaved: Credential?
    /// The store's version when it was last read.
    var version: String?
    /// The time on a client's timeline when the store was last read.
    var looked: Duration?
    /// True if stored data must not be used even if it is new to this process, because a sign-out could not
    /// be stored.
    var ignoresNext = false

    mutating func know(_ revision: Int) {
      self.revision = revision
      unsaved = nil
      ignoresNext = false
    }
  }

  /// The interval at which a store without versions is read.
  private static var interval: Duration { .seconds(1) }

  private let store: any CredentialStore
  private let kind: CredentialKind<Credential>
  private let encode: @Sendable (Credential) throws -> Data
  private let decode: @Sendable (Data) throws -> Credential
  private let state = Locked(State())

  init(
    _ store: any CredentialStore, _ kind: CredentialKind<Credential> = CredentialKind(),
    encode: @escaping @Sendable (Credential) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> Credential
  ) {
    self.store = store
    self.kind = kind
    self.encode = encode
    self.decode = decode
  }

  /// Returns the stored credential if it is newer than the one to renew. Otherwise, refreshes the stored
  /// credential, stores the new one, and returns it.
  /// - Parameters:
  ///   - present: The identity of the new credential if nothing is stored.
  ///   - revision: The revision of the credential to renew; 0 without one. This process may have read a newer
  ///     one since.
  func renewed(
    of present: CredentialIdentity, after revision: Int,
    _ refresh: @escaping @Sendable (Credential?) async throws -> Credential
  ) async throws -> RenewedCredential<Credential> {
    try await store.exclusively { [self] in
      let entry = try await intact()
      let unsaved = state.withLock { $0.unsaved }
      let isNewer = entry.map { $0.revision > revision } ?? false
      if let entry, isNewer { state.withLock { $0.know(entry.revision) } }
      let old = try entry.flatMap { try self.credential(in: $0) }
      // A refresh after a sign-out must not sign the identity in again.
      if entry != nil, old == nil { throw CredentialRejected(reason: "the identity has signed out") }
      if let entry, let old, isNewer {
        return RenewedCredential(credential: old, stored: entry.mark, isFound: true)
      }
      let new: Credential
      if let unsaved { new = unsaved } else { new = try await refresh(old) }
      let owner = entry?.owner ?? present
      state.withLock { $0.unsaved = new }
      let revision = try await write(new, of: owner, after: entry)
      return RenewedCredential(credential: new, stored: StoredMark(revision: revision, owner: owner))
    }
  }

  /// True if another process may have written to the store since it was last read.
  func mayHaveNews(at now: Duration) -> Bool {
    let version = store.version()
    return state.withLock { state in
      if let version { return version != state.version }
      return state.looked.map { now - $0 >= Self.interval } ?? true
    }
  }

  /// Returns the change that another process, or an earlier start, has stored since this process last read or
  /// wrote; nil without a change.
  /// - Parameter now: Nil if the time is not known.
  func news(at now: Duration?) async throws -> CredentialNews<Credential>? {
    // The version is taken before the read, so that a write during the read is noticed the next time.
    let version = store.version()
    let entry = try await read()
    let isNews = state.withLock { state in
      state.version = version
      state.looked = now ?? state.looked
      guard let entry, entry.revision > state.revision else { return false }
      if state.ignoresNext { state.know(entry.revision) }
      return entry.revision > state.revision
    }
    guard let entry, isNews else { return nil }
    return CredentialNews(mark: entry.mark, credential: try credential(in: entry))
  }

  /// Notes that this process uses the stored credential. Only then may a renewal replace it.
  func take(_ mark: StoredMark) {
    state.withLock { state in if mark.revision > state.revision { state.know(mark.revision) } }
  }

  /// Returns the identity whose credential is stored; nil if no credential is.
  func owner() async throws -> CredentialIdentity? {
    guard let entry = try await read(), entry.credential != nil else { return nil }
    do { _ = try credential(in: entry) } catch is OtherCredentialKind {
      return nil
    } catch is DamagedCredential {}
    return entry.owner
  }

  /// Stores a credential, or a sign-out if it is nil.
  /// - Returns: The new revision.
  func store(_ credential: Credential?, of owner: CredentialIdentity) async throws -> Int {
    try await replace(with: credential, of: owner).revision
  }

  /// Stores a credential, or a sign-out if it is nil.
  /// - Returns: The new revision, and the credentials that this ends: the stored one, and one that could not be stored.
  private func replace(
    with credential: Credential?, of owner: CredentialIdentity
  ) async throws -> (revision: Int, old: [Credential]) {
    try await store.exclusively { [self] in
      // A damaged entry is replaced: otherwise no sign-in would ever succeed.
      let entry: Entry?
      do { entry = try await read() } catch is DamagedCredential { entry = nil }
      var old: Credential?
      do { old = try entry.flatMap { try self.credential(in: $0) } } catch is DamagedCredential {}
      let unsaved = state.withLock { $0.unsaved }
      let revision = try await write(credential, of: owner, after: entry)
      return (revision, [unsaved, old].compactMap(\.self))
    }
  }

  /// A new credential that could not be stored.
  var unsaved: Credential? { state.withLock { $0.unsaved } }

  /// Stores that the identity has signed out.
  /// - Returns: The new revision, and the credentials that the store held until then. Another process, or a refresh, may have
  ///   stored them while this one waited for the store's lock.
  func clear() async throws -> (revision: Int, old: [Credential]) {
    do {
      return try await replace(with: nil, of: CredentialIdentity(withoutName: ""))
    } catch {
      // The store may still have the credential, so the next read ignores it.
      state.withLock { $0.ignoresNext = true }
      throw error
    }
  }

  private func read() async throws -> Entry? {
    guard let data = try await store.read() else { return nil }
    let entry = try intact(data) { try JSONDecoder().decode(Entry.self, from: $0) }
    guard 0..<1 << 53 ~= entry.revision else { throw DamagedCredential() }
    return entry
  }

  /// Returns the entry; nil if it is damaged, and a new credential can be obtained without it.
  private func intact() async throws -> Entry? {
    do {
      guard let entry = try await read() else { return nil }
      _ = try credential(in: entry)
      return entry
    } catch let error as DamagedCredential {
      if kind.needsSignIn { throw error }
      return nil
    }
  }

  /// Returns the credential of an entry; nil for a sign-out.
  /// - Throws: `DamagedCredential`, `OtherCredentialKind`.
  private func credential(in entry: Entry) throws -> Credential? {
    guard let data = entry.credential else { return nil }
    let credential = try intact(data, decode)
    guard kind.includes(credential, entry.owner.digest != nil) else {
      throw OtherCredentialKind(isOfProgram: kind.needsSignIn)
    }
    return credential
  }

  private func intact<Value>(_ data: Data, _ decode: (Data) throws -> Value) throws -> Value {
    do { return try decode(data) } catch { throw DamagedCredential() }
  }

  private func write(_ credential: Credential?, of owner: CredentialIdentity, after entry: Entry?)
    async throws -> Int
  {
    // In an empty store, revisions begin with the time, because other processes may know revisions of deleted
    // data.
    let revision = (entry?.revision ?? Int(Date().timeIntervalSince1970 * 1000)) + 1
    let new = Entry(
      revision: revision, identity: owner.text, isUnnamed: owner.digest == nil ? true : nil,
      credential: try credential.map { try encode(kind.marked($0)) })
    try await store.write(try JSONEncoder().encode(new))
    state.withLock { $0.know(revision) }
    return revision
  }
}
