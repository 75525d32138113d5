#if canImport(Darwin)
  import Foundation

  /// How the system treats the files of an outbox.
  struct FolderProtection: Sendable {
    let folder: String
    let isExcludedFromBackup: Bool

    /// Lets the files be read after the first unlock, when the device is locked again: the system wakes the app then. And
    /// excludes them from backups.
    /// - Throws: `OutboxError` if the system refuses it.
    func apply() throws {
      do {
        let attributes: [FileAttributeKey: Any] = [
          .protectionKey: FileProtectionType.completeUntilFirstUserAuthentication
        ]
        let files = FileManager.default
        try files.setAttributes(attributes, ofItemAtPath: folder)
        // New files take the protection of their folder; others keep theirs.
        for name in try files.subpathsOfDirectory(atPath: folder) {
          try? files.setAttributes(attributes, ofItemAtPath: "\(folder)/\(name)")
        }
        guard isExcludedFromBackup else { return }
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        var url = URL(filePath: folder)
        try url.setResourceValues(values)
      } catch {
        throw OutboxError(.notWritable, "the outbox's folder cannot be protected: \(error)")
      }
    }
  }
#endif
