#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension URL {
  /// Creates the URL of a file from its path. The path is taken literally: `init(filePath:)` replaces a `~` at
  /// its beginning by a home folder, which would lead a name from a server out of its folder.
  package init(literalPath path: String, directoryHint: URL.DirectoryHint = .inferFromPath) {
    self.init(filePath: path.hasPrefix("~") ? "./\(path)" : path, directoryHint: directoryHint)
  }
}
