#if Postgres
  import CPostgres
  import ErrandCore

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A connection that listens to a channel. A notification is only a hint, so a failure to connect fails
  /// nothing else. Only the link's thread uses it.
  final class LinkListener {
    private let channel: String
    private let onNotification: @Sendable () -> Void
    private var connection: PostgresConnection?
    private var isConnecting = false
    private var request: ConnectionRequest
    private var backoff = ConnectBackoff()

    /// Creates a listener that is not connected yet.
    /// - Parameter channel: A name that needs no quotes.
    init(_ url: PostgresURL, channel: String, _ onNotification: @escaping @Sendable () -> Void) {
      request = ConnectionRequest(url: url)
      self.channel = channel
      self.onNotification = onNotification
    }

    /// The socket and the events to wait for; nil without a connection.
    var file: pollfd? {
      connection.map { pollfd(fd: $0.socket, events: $0.events, revents: 0) }
    }

    /// When to call `begin` again if nothing happens before that.
    var next: Duration? { connection == nil && !isConnecting ? backoff.next : nil }

    /// Returns the request for a connection to make now; nil if none is needed.
    func begin(at now: Duration) -> ConnectionRequest? {
      guard connection == nil, !isConnecting, backoff.mayConnect(at: now) else { return nil }
      isConnecting = true
      return request
    }

    /// Takes the outcome of connecting.
    func take(_ outcome: Result<PostgresConnector.Made, PostgresFailure>, at now: Duration) {
      isConnecting = false
      switch outcome {
      case .success(let made):
        connection = made.connection()
        connection?.send(PostgresQuery("LISTEN \(channel)"))
      case .failure(let failure):
        request.failed(failure)
        backoff.failed(failure, at: now)
      }
      look(at: now)
    }

    /// Continues when the socket is ready.
    func proceed(at now: Duration) {
      guard let connection else { return }
      if case .answer? = connection.proceed() {
        backoff.succeeded()
        // Notifications before this moment were not heard.
        onNotification()
      }
      if !connection.notifications().isEmpty { onNotification() }
      look(at: now)
    }

    private func look(at now: Duration) {
      guard let connection, case .ended(let failure) = connection.state else { return }
      self.connection = nil
      backoff.failed(failure, at: now)
    }
  }
#endif
