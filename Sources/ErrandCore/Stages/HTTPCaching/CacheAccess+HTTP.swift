import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the responses of a URL are stored, for one identity.
struct CachePlace: Sendable {
  let key: CacheKey
  /// The store's random bytes; empty if the request has no secret.
  let salt: Data

  /// Returns the values of the fields that select a response, with digests in place of secrets.
  func values(_ vary: Vary, _ request: HTTPFields, _ secrets: Secrets) -> [String?] {
    vary.values(in: request, secrets: secrets, digest)
  }

  func digest(_ secret: String) -> String { "\(SHA256Digest(hashing: salt + Data(secret.utf8)))" }
}

/// The stored responses of a URL, and where they are stored.
struct StoredVariants: Sendable {
  let place: CachePlace
  /// Nil if the server is not asked about them.
  let selection: CacheSelection?

  init(_ place: CachePlace, _ selection: CacheSelection?) {
    self.place = place
    self.selection = selection
  }
}

/// The HTTP cache's use of the store.
extension CacheAccess {
  /// Returns where the responses to a request are stored; nil if the store fails.
  /// - Parameter fields: The request's header fields, with the cookies that are added later.
  func place(
    of request: Request, _ user: CallIdentity, _ fields: HTTPFields, unless cancellation: CancellationToken
  ) async -> CachePlace? {
    let credentials = CachePartition.parts(
      of: fields, method: nil, url: request.url, user: user.text, secrets: secrets
    ) { secrets.covers($0) }
    let name = name(of: request)
    if credentials.isEmpty, user.owner == nil {
      return CachePlace(key: CacheKey(name), salt: Data())
    }
    guard let salt = await result(unless: cancellation, { try await $0.salt() }) else { return nil }
    var partition = credentials.isEmpty ? CachePartition.none : CachePartition(credentials, salt: salt)
    if let owner = user.owner { partition = partition.marked(by: owner, salt: salt) }
    return CachePlace(key: CacheKey(name, partition: partition), salt: salt)
  }

  /// Returns the name in the keys of the responses to a request: its URL without secrets.
  func name(of request: Request) -> String { secrets.redact(request.address.resourceText) }

  func selection(
    at place: CachePlace, for request: HTTPFields, unless cancellation: CancellationToken
  ) async -> CacheSelection {
    if let memory {
      return CacheSelection(memory.variants(of: place.key), for: request, secrets: secrets, place.digest)
    }
    let stored = await result(unless: cancellation) { try await $0.readVariants(of: place.key) }
    return CacheSelection(stored ?? [], for: request, secrets: secrets, place.digest)
  }

  /// Stores a response.
  /// - Returns: False if the store failed, or is too small.
  func write(
    _ response: CachedResponse, at place: CachePlace, _ number: Int, of user: CallIdentity,
    unless cancellation: CancellationToken
  ) async -> Bool {
    await result(unless: cancellation) { store in
      // Only memory may hold the secrets of a response.
      guard var open = memory != nil ? response : response.open(secrets) else { return false }
      if open.body.inMemory == nil, !(store is any DraftingCache) {
        guard open.body.count <= memoryLimit else { return false }
        open = open.with(CachedBody(try await open.body.load()))
      }
      let key = place.key.variant(number)
      try await write(open, under: key, of: user, to: store)
      return open.size(under: key) <= largest
    } ?? false
  }

  /// The maximum size of one response in the store, in bytes, if it is known.
  private var largest: Int { memory?.limit ?? (cache as? any DraftingCache)?.largestResponse ?? .max }

  func remove(_ place: CachePlace, _ number: Int, unless cancellation: CancellationToken) async {
    await result(unless: cancellation) { try await $0.remove(place.key.variant(number)) }
  }

  func removeAll(at place: CachePlace, unless cancellation: CancellationToken) async {
    await result(unless: cancellation) { store in
      for number in CacheKey.variants { try await store.remove(place.key.variant(number)) }
    }
  }

  /// Begins to store a response whose body is streamed; nil if the store fails.
  /// - Parameter begun: When the response was requested. It is not stored if its URL has changed since.
  func draft(
    _ response: CachedResponse, at place: CachePlace, _ number: Int, of user: CallIdentity,
    _ changes: ChangeLog,
    since begun: Int
  ) -> (any CacheDraft)? {
    let key = place.key.variant(number)
    guard let open = memory != nil ? response : response.open(secrets) else { return nil }
    do {
      let draft =
        try (cache as? any DraftingCache)?.draft(open, under: key)
        ?? CollectedDraft(open, under: key, in: cache, limit: memoryLimit)
      return OwnedDraft(
        draft: draft, key: key, date: response.date, user: user, cache: self, changes: changes, begun: begun)
    } catch {
      report(error, unless: CancellationToken())
      return nil
    }
  }

  /// Runs `work` on the store, and reports its error.
  @discardableResult
  private func result<Value: Sendable>(
    unless cancellation: CancellationToken,
    _ work: @escaping @Sendable (any ResponseCache) async throws -> Value
  ) async -> Value? {
    do {
      return try await asked(unless: cancellation, work)
    } catch {
      report(error, unless: cancellation)
      return nil
    }
  }
}

extension Address {
  /// The URL in the form that tells resources apart: with a lowercase origin, and without a fragment.
  var resourceText: String {
    let text = text
    // Most URLs have this form.
    if unsafe ASCII.withBytes(of: text, { unsafe Self.isPlain($0, isSecure: isSecure) }) { return text }
    let whole = text.utf8.prefix { $0 != UInt8(ascii: "#") }
    let rest = whole.dropFirst(isSecure ? 8 : 7).drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let path = String(decoding: rest, as: UTF8.self)
    return originName + (path.hasPrefix("/") ? "" : "/") + path
  }

  /// Returns true if the origin has neither a port nor an uppercase letter nor a user, and a path and no fragment follow.
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>, isSecure: Bool) -> Bool {
    var hasPath = false
    for index in (isSecure ? 8 : 7)..<max(8, text.count) where index < text.count {
      let byte = unsafe text[index]
      if byte == UInt8(ascii: "#") { return false }
      if hasPath { continue }
      switch byte {
      case UInt8(ascii: "/"): hasPath = true
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
        UInt8(ascii: "-"):
        continue
      default: return false
      }
    }
    return hasPath
  }
}

/// A draft of a response that is removed if it is out of date at its end: its identity has signed out, and its responses
/// may have been cleared, or its URL has changed.
private struct OwnedDraft: CacheDraft {
  let draft: any CacheDraft
  let key: CacheKey
  let date: Date
  let user: CallIdentity
  let cache: CacheAccess
  let changes: ChangeLog
  let begun: Int

  var sink: any BodySink { draft.sink }

  func commit() async throws {
    try await CancellationToken.ofTask { cancellation in
      do {
        // The reader waits for the end, so a silent store must not delay it forever.
        let isStored = try await cache.asked(unless: cancellation) { [self] store in
          try await changes.store(key, requestedAt: begun, at: date) {
            try await draft.commit()
            if cache.identity.isPresent(user) { return true }
            try await store.remove(key)
            return false
          } remove: {
            try await store.remove(key)
          }
        }
        if !isStored { draft.abandon() }
      } catch {
        draft.abandon()
        cache.report(error, unless: cancellation)
        throw error
      }
    }
  }

  func abandon() { draft.abandon() }
}

extension Response {
  /// The body, if it can be stored: in memory, or in the file of a download.
  var cacheableBody: CachedBody? {
    switch body {
    case .data(let data): return CachedBody(data)
    case .stored(let body): return body
    case .file(let url):
      guard let file = try? FileDescriptor(reading: url.path), let length = try? file.length() else {
        return nil
      }
      return CachedBody(file, start: 0, count: length)
    case .chunks: return nil
    }
  }
}
