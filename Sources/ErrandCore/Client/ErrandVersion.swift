/// Errand's own version.
public enum ErrandVersion {
  /// The version as text, such as `0.2.0`, by the rules of Semantic Versioning.
  public static let current = "0.2.0"
}
