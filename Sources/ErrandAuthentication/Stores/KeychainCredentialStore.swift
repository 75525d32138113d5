#if canImport(Security)
  import ErrandCore
  public import Foundation
  import Security

  /// Keeps a credential in the keychain: encrypted, for this app alone or for the apps of a group.
  ///
  /// The item can be read once the device has been unlocked after a restart, so an app in the background can
  /// use it. It stays on this device, because the refresh token of a backup would be out of date.
  public struct KeychainCredentialStore: CredentialStore {
    private let service: String
    private let account: String
    private let accessGroup: String?
    private let lockFile: ReplacedFile?

    /// Creates a store for one item of the keychain.
    /// - Parameters:
    ///   - service: A name for the purpose of the credential, such as the server's name.
    ///   - account: A name that tells credentials of one service apart. It is not a secret. Default: empty.
    ///   - accessGroup: The keychain access group of several apps, or of an app and its extensions. Default:
    ///     this app's group.
    ///   - lockFile: A file in a folder that all these apps can write to (their app group's). It is created,
    ///     and locked while one of them refreshes the credential. It is needed if more than one process uses
    ///     the credential. Default: nil.
    public init(
      service: String, account: String = "", accessGroup: String? = nil, lockFile: URL? = nil
    ) {
      self.service = service
      self.account = account
      self.accessGroup = accessGroup
      self.lockFile = lockFile.map { ReplacedFile(path: $0.path, lockPath: $0.path) }
    }

    /// Returns the stored credential; nil if nothing is stored.
    /// - Throws: `KeychainError`, if an item cannot be read, for instance because the device has not been
    ///   unlocked yet.
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

    /// Adds or replaces the item, which never leaves this device.
    /// - Throws: `KeychainError`, if the item cannot be written.
    public func write(_ data: Data) async throws {
      // The write is awaited even if the task is cancelled: the lock must not be released while the item is
      // written.
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

    /// Runs `body` while the lock file is locked. Without a lock file, it runs at once.
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

  /// A failure to read or write the keychain.
  public struct KeychainError: Error, Sendable, CustomStringConvertible {
    /// The status code of the system's keychain (`OSStatus`).
    public let status: Int32

    static func check(_ status: Int32) throws(KeychainError) {
      guard status == errSecSuccess else { throw KeychainError(status: status) }
    }

    /// The system's message and its code.
    public var description: String {
      let words = SecCopyErrorMessageString(status, nil).map { $0 as String }
      return "the keychain: \(words ?? "error \(status)") (\(status))"
    }
  }

  extension KeychainError: ShownError {}
#endif
