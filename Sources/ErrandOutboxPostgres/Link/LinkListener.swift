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

  /// A connection that listens to a channel. A notification is a hint, so nothing fails if it cannot be made. Used by the
  /// link's thread only.
  final class LinkListener {
    private let channel: String
    private let onNotification: @Sendable () -> Void
    private var connection: PostgresConnection?
    private var isConnecting = false
    private var request: ConnectionRequest
    private var backoff = ConnectBackoff()

    /// - Parameter channel: A name that needs no quotes.
    init(_ url: PostgresURL, channel: String, _ onNotification: @escaping @Sendable () -> Void) {
      request = ConnectionRequest(url: url)
      self.channel = channel
      self.onNotification = onNotification
    }

    /// What to wait for; nil for nothing.
    var file: pollfd? {
      connection.map { pollfd(fd: $0.socket, events: $0.events, revents: 0) }
    }

    /// When to call `begin` again if nothing happens before.
    var next: Duration? { connection == nil && !isConnecting ? backoff.next : nil }

    /// Returns what to connect with, if a connection is to be made now.
    func begin(at now: Duration) -> ConnectionRequest? {
      guard connection == nil, !isConnecting, backoff.mayConnect(at: now) else { return nil }
      isConnecting = true
      return request
    }

    /// Takes the connection that was made.
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

    /// Goes on after the socket is ready.
    func proceed(at now: Duration) {
      guard let connection else { return }
      if case .answer? = connection.proceed() {
        backoff.succeeded()
        // What happened before it listened went unheard.
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
