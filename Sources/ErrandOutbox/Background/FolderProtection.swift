#if canImport(Darwin)
  import ErrandCore
  import Foundation

  /// The protection of an outbox's files by the system.
  struct FolderProtection: Sendable {
    let folder: String
    let isExcludedFromBackup: Bool

    /// Makes the files readable after the first unlock, even while the device is locked again, because the
    /// system may wake the app then. Excludes the folder from backups if wanted.
    /// - Throws: `OutboxError` if the system refuses it.
    func apply() throws {
      do {
        let attributes: [FileAttributeKey: Any] = [
          .protectionKey: FileProtectionType.completeUntilFirstUserAuthentication
        ]
        let files = FileManager.default
        try files.setAttributes(attributes, ofItemAtPath: folder)
        // New files take the protection of their folder, but existing files keep theirs.
        for name in try files.subpathsOfDirectory(atPath: folder) {
          try? files.setAttributes(attributes, ofItemAtPath: "\(folder)/\(name)")
        }
        guard isExcludedFromBackup else { return }
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        var url = URL(literalPath: folder)
        try url.setResourceValues(values)
      } catch {
        throw OutboxError(.notWritable, "the outbox's folder \(folder) cannot be protected: \(error)")
      }
    }
  }
#endif
