/// Which downloads of this process write which parts, so that one can wait for another that is about to let go of the same.
enum PartFiles {
  private static let writers = Locked<[String: Download]>([:])

  static func writer(of path: String) -> Download? { writers.withLock { $0[path] } }

  /// - Returns: The other that writes it; nil if this one does from now on.
  static func begin(_ path: String, _ download: Download) -> Download? {
    writers.withLock { writers in
      if let other = writers[path], other !== download { return other }
      writers[path] = download
      return nil
    }
  }

  static func end(_ path: String, _ download: Download) {
    // Returned, so that it is let go of outside the lock.
    _ = writers.withLock { $0[path] === download ? $0.removeValue(forKey: path) : nil }
  }
}
