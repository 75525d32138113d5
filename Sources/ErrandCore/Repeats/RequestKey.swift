/// Defines which requests are the same.
///
/// A request has a key of its own: its method, its URL (with the items of its query in any order), its body
/// and the named header fields. Or a key is chosen: any hashable value.
///
/// ```swift
/// let key: RequestKey = "search"
/// let mine = RequestKey(conversation.id)
/// ```
///
/// Under any key, two requests with different credentials (`Authorization`, `Cookie`,
/// `Proxy-Authorization`, header fields marked as secret, user, password and secret query items of the URL)
/// are never the same. No description shows the key's content.
public struct RequestKey: Sendable, Hashable {
  // Indirect, so that a key takes two words: every waiting caller holds one.
  indirect enum Subject: Sendable, Hashable {
    case chosen(ChosenKey)
    case parts(RequestParts)
  }

  let subject: Subject
  /// The credentials: requests with different ones share nothing.
  let partition: [KeyField]

  init(_ subject: Subject, partition: [KeyField]) {
    self.subject = subject
    self.partition = partition
  }

  /// Makes a key of a chosen value.
  public init(_ value: some Hashable & Sendable) {
    self = (value as? RequestKey) ?? RequestKey(.chosen(ChosenKey(value: value)), partition: [])
  }

  /// Returns the same key, limited to requests with these credentials.
  func partitioned(by partition: [KeyField]) -> RequestKey { RequestKey(subject, partition: partition) }
}

extension RequestKey: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    self.init(.chosen(ChosenKey(value: value)), partition: [])
  }
}

extension RequestKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL without its query, or the type of the chosen value.
  public var description: String {
    switch subject {
    case .chosen(let key): "\(key)"
    case .parts(let parts): "\(parts)"
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
