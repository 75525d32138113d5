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

  /// A connection that listens to a channel. A notification is a hint, so nothing fails if it cannot be made.
  // Safe to share: used by the link's thread only, which takes it over.
  final class LinkListener: @unchecked Sendable {
    private let url: PostgresURL
    private let channel: String
    private let onNotification: @Sendable () -> Void
    private var connection: PostgresConnection?
    private var backoff = ConnectBackoff()

    /// - Parameter channel: A name that needs no quotes, or is quoted.
    init(_ url: PostgresURL, channel: String, _ onNotification: @escaping @Sendable () -> Void) {
      self.url = url
      self.channel = channel
      self.onNotification = onNotification
    }

    /// What to wait for; nil for nothing.
    var file: pollfd? {
      connection.map { pollfd(fd: $0.socket, events: $0.events, revents: 0) }
    }

    /// When to call `step` again if nothing happens before.
    var next: Duration? { connection == nil ? backoff.next : nil }

    /// Connects if there is no connection.
    func step(at now: Duration) {
      guard connection == nil, backoff.mayConnect(at: now) else { return }
      connection = PostgresConnection(url, application: "errand")
      look(at: now)
    }

    /// Goes on after the socket is ready.
    func proceed(at now: Duration) {
      guard let connection else { return }
      let wasConnecting = if case .connecting = connection.state { true } else { false }
      let outcome = connection.proceed()
      if wasConnecting, case .idle = connection.state {
        connection.send(PostgresQuery("LISTEN \(channel)"))
      }
      if case .answer? = outcome {
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

    func end() { connection = nil }
  }
#endif
