/// The reason why a file is not a cached response.
enum CacheFileFault: Error, Hashable {
  /// The file was cut short, or changed since it was written.
  case damaged
  /// The file has a cached response's name, but is something else.
  case foreign
  /// The file was written by another version of Errand, in a format that this one does not know.
  case otherVersion(UInt32)
}
