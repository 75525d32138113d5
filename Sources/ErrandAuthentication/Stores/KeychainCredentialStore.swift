#if canImport(Security)
  import ErrandCore
  public import Foundation
  import Security

  /// A credential in the keychain: encrypted, and for this app alone, or for the apps of a group.
  ///
  /// It can be read once the device has been unlocked after a start, so that an app works in the background, too, and is
  /// on this device only: a refresh token that a backup brings back was replaced since.
  public struct KeychainCredentialStore: CredentialStore {
    private let service: String
    private let account: String
    private let accessGroup: String?
    private let lockFile: ReplacedFile?

    /// - Parameters:
    ///   - service: A name for what the credential is for, such as the server's.
    ///   - account: A name that tells credentials of one service apart. It is no secret. Default: empty.
    ///   - accessGroup: The keychain access group of several apps, or of an app and its extensions. Default: this app's
    ///     own.
    ///   - lockFile: A file in a folder that all these have (their app group's), which is created and locked while one of
    ///     them refreshes the credential. Needed where more than one process uses it. Default: none.
    public init(
      service: String, account: String = "", accessGroup: String? = nil, lockFile: URL? = nil
    ) {
      self.service = service
      self.account = account
      self.accessGroup = accessGroup
      self.lockFile = lockFile.map { ReplacedFile(path: $0.path, lockPath: $0.path) }
    }

    /// - Throws: `KeychainError`, if there is an item that cannot be read: the device has not been unlocked yet, for
    ///   instance.
    public func read() async throws -> Data? {
      try await CredentialWork.start(service) { [self] in
        var query = item
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        try KeychainError.check(status)
        guard let data = found as? Data else { throw KeychainError(status: errSecDecode) }
        return data
      }.value()
    }

    public func write(_ data: Data) async throws {
      // Waited for even if the task is cancelled: the lock must not be released while the item is written.
      try await CredentialWork.start(service) { [self] in
        var new = item
        new[kSecValueData as String] = data
        new[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let status = SecItemAdd(new as CFDictionary, nil)
        guard status == errSecDuplicateItem else { return try KeychainError.check(status) }
        let change: [String: Any] = [kSecValueData as String: data]
        try KeychainError.check(SecItemUpdate(item as CFDictionary, change as CFDictionary))
      }.settled().get()
    }

    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
    {
      guard let lockFile else { return try await body() }
      let lock = try await CredentialWork.lock(lockFile)
      defer { lock.unlock() }
      return try await body()
    }

    private var item: [String: Any] {
      var item: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecAttrAccount as String: account, kSecUseDataProtectionKeychain as String: true,
      ]
      if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
      return item
    }
  }

  /// The keychain could not be read or written.
  public struct KeychainError: Error, Sendable, CustomStringConvertible {
    /// The system's code.
    public let status: Int32

    static func check(_ status: Int32) throws(KeychainError) {
      guard status == errSecSuccess else { throw KeychainError(status: status) }
    }

    /// The system's own words.
    public var description: String {
      let words = SecCopyErrorMessageString(status, nil).map { $0 as String }
      return "the keychain: \(words ?? "error \(status)") (\(status))"
    }
  }

  extension KeychainError: ShownError {}
#endif
