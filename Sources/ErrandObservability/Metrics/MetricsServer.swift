public import ErrandCore
import ErrandServing

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Something that has metrics in Prometheus' text format: a client, an outbox, or a type of yours.
public protocol MetricsSource: Sendable {
  /// Returns the metrics in Prometheus' text format (version 0.0.4), with a line end after each line.
  func prometheusMetrics() async throws -> String
}

extension Client: MetricsSource {
  /// Returns the client's metrics in Prometheus' text format (version 0.0.4); empty unless
  /// `ClientConfiguration.collectsMetrics` is set.
  public func prometheusMetrics() -> String { metrics?.prometheus ?? "" }
}

/// Serves metrics to Prometheus.
public enum Metrics {
  /// Serves `/metrics` over HTTP, in Prometheus' text format (version 0.0.4).
  ///
  /// ```swift
  /// let server = try Metrics.serve(port: 9464, client, outbox)
  /// ```
  ///
  /// Metrics contain the names of origins, and no other part of a URL. If a source throws, the response has the
  /// status 500, so that Prometheus reports the target as down.
  /// - Parameters:
  ///   - port: The port; 0 for any free one (`MetricsServer.url`).
  ///   - onAllAddresses: True to serve on all addresses of the machine, so that another machine can read the
  ///     metrics. Default: false, which serves on 127.0.0.1 and ::1 only, for requests to these names or
  ///     `localhost`. A machine without IPv6 serves on its addresses of IPv4.
  ///   - sources: The sources, in the order of the response. Two sources with the same metrics, such as two clients, need two
  ///     servers, because a metric may occur only once.
  /// - Returns: The server. It stops when it is released.
  /// - Throws: `MetricsServer.Failure`, such as when the port is in use.
  public static func serve(
    port: Int, onAllAddresses: Bool = false, _ sources: any MetricsSource...
  ) throws -> MetricsServer {
    try MetricsServer(port: port, onAllAddresses: onAllAddresses, sources)
  }
}

/// Serves metrics (`Metrics.serve`) until it is stopped or released.
public final class MetricsServer: Sendable {
  /// The reason why metrics cannot be served.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason as a sentence.
    public let description: String
  }

  /// The URL of the metrics on this machine, such as `http://127.0.0.1:9464/metrics`.
  public let url: URL
  private let server: PageServer

  init(port: Int, onAllAddresses: Bool, _ sources: [any MetricsSource]) throws(Failure) {
    let server: PageServer
    do throws(SocketError) {
      server = try PageServer(port: port, isOpen: onAllAddresses, usesIPv6: true) { request, respond in
        let route = MetricsRoute(request, isOpen: onAllAddresses)
        guard case .metrics = route else { return respond(route.refusal) }
        Task { respond(await Self.response(sources)) }
      }
    } catch {
      throw Failure(description: "The metrics cannot be served: \(error.description).")
    }
    self.server = server
    // A number is always a valid port of a URL.
    url = URL(string: "http://127.0.0.1:\(server.port)/metrics") ?? URL(filePath: "/metrics")
  }

  deinit { stop() }

  /// Ends the server and its connections, and frees the port. Calling it again does nothing.
  public func stop() { server.stop() }

  private static func response(_ sources: [any MetricsSource]) async -> ServedResponse {
    var text = ""
    do {
      for source in sources { text += try await source.prometheusMetrics() }
    } catch {
      return MetricsRoute.text(500, "The metrics cannot be read: \(error)\n")
    }
    return MetricsRoute.text(200, text, type: "text/plain; version=0.0.4; charset=utf-8")
  }
}

/// Decides about a request for metrics. Pure.
enum MetricsRoute {
  case metrics
  case refused(Int)

  private static let ownNames = ["127.0.0.1", "localhost", "[::1]"]

  /// - Parameter isOpen: True if other machines may read the metrics. Otherwise the request must name this
  ///   machine, because a page whose name resolves to 127.0.0.1 (DNS rebinding) could read them too.
  init(_ request: ServedRequest, isOpen: Bool) {
    let host = ASCII.lowercased(request.fields["Host"] ?? "")
    let path = request.target.prefix { $0 != "?" }
    if !isOpen, !Self.ownNames.contains(where: { host == $0 || host.hasPrefix("\($0):") }) {
      self = .refused(403)
    } else if path != "/metrics" {
      self = .refused(404)
    } else {
      // A server leaves out the body of a response to HEAD.
      self = [.get, .head].contains(request.method) ? .metrics : .refused(405)
    }
  }

  var refusal: ServedResponse {
    guard case .refused(let status) = self else { return Self.text(500, "") }
    switch status {
    case 403: return Self.text(status, "Use the name localhost, or the address 127.0.0.1 or [::1].\n")
    case 405: return Self.text(status, "Use the method GET.\n", ["Allow": "GET, HEAD"])
    default: return Self.text(status, "The metrics are at /metrics.\n")
    }
  }

  static func text(
    _ status: Int, _ text: String, type: String = "text/plain; charset=utf-8", _ fields: HTTPFields = [:]
  ) -> ServedResponse {
    var fields = fields
    fields.set("Content-Type", type)
    fields.set("Cache-Control", "no-store")
    fields.set("X-Content-Type-Options", "nosniff")
    return .whole(status: status, fields: fields, body: Data(text.utf8))
  }
}
