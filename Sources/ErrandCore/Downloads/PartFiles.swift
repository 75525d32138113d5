/// The downloads of this process by the part file that they write, so that one can wait for another to
/// release it.
enum PartFiles {
  private static let writers = Locked<[String: Download]>([:])

  static func writer(of path: String) -> Download? { writers.withLock { $0[path] } }

  /// - Returns: The other download that writes it; nil if `download` is registered from now on.
  static func begin(_ path: String, _ download: Download) -> Download? {
    writers.withLock { writers in
      if let other = writers[path], other !== download { return other }
      writers[path] = download
      return nil
    }
  }

  static func end(_ path: String, _ download: Download) {
    // Returned, so that the download is released outside the lock.
    _ = writers.withLock { $0[path] === download ? $0.removeValue(forKey: path) : nil }
  }
}
