// Stands in for swift-nio-extras 1.24 (NIOHTTPCompression): the declarations that the integrations use.

public enum NIOHTTPDecompression {
  public struct DecompressionLimit: Sendable {
    public static let none = DecompressionLimit()
  }
}
