public import Errand
public import Logging

/// Writes a client's calls to a swift-log `Logger`, with metadata.
///
/// ```swift
/// configuration.listeners.append(.logger(Logger(label: "http")))
/// ```
///
/// The end of each call is one message at `level`, or at `warning` if the call failed. Its steps are messages at `debug`.
/// Messages and metadata show no secret (`Secrets`), no body and no header field.
public struct LogListener: EventListener {
  private let logger: Logger
  private let level: Logger.Level

  /// Makes a listener.
  /// - Parameters:
  ///   - logger: Receives the messages.
  ///   - level: The level of a call that ends with a response or is cancelled. Default: `info`.
  public init(_ logger: Logger, level: Logger.Level = .info) {
    self.logger = logger
    self.level = level
  }

  public func record(_ event: CallEvent) {
    switch event.kind {
    case .finished, .cancelled: write(event, level)
    case .failed: write(event, .warning)
    default: write(event, .debug)
    }
  }

  private func write(_ event: CallEvent, _ level: Logger.Level) {
    // The texts are made only if the logger writes them.
    logger.log(
      level: level, "\(event.isEnd ? "\(event.request): \(event.kind)" : event.kind.description)",
      metadata: Self.metadata(of: event))
  }

  private static func metadata(of event: CallEvent) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["errand.call": "\(event.call)"]
    if event.attempt > 0 { metadata["errand.attempt"] = "\(event.attempt)" }
    if let scope = event.scope { metadata["errand.scope"] = "\(scope)" }
    guard event.isEnd else { return metadata }
    metadata["http.request.method"] = "\(event.request.method)"
    metadata["url.full"] = "\(event.request.url)"
    switch event.kind {
    case .finished(let response):
      metadata["http.response.status_code"] = "\(response.status.code)"
      metadata["duration"] = response.timing.map { "\($0.total)" }
    case .failed(let failure):
      metadata["http.response.status_code"] = failure.status.map { "\($0.code)" }
      metadata["error.type"] = "\(failure.code?.description ?? "_OTHER")"
    default: break
    }
    return metadata
  }
}

extension EventListener where Self == LogListener {
  /// Returns a listener that writes calls to a swift-log `Logger`.
  /// - Parameters:
  ///   - logger: Receives the messages.
  ///   - level: The level of a call that ends with a response or is cancelled. Default: `info`.
  public static func logger(_ logger: Logger, level: Logger.Level = .info) -> LogListener {
    LogListener(logger, level: level)
  }
}
