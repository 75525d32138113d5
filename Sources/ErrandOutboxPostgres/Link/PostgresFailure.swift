#if Postgres
  import ErrandOutbox

  /// Why a statement or a connection failed.
  struct PostgresFailure: Error, Sendable {
    enum Kind: Sendable, Hashable {
      /// No connection could be made, or not in time.
      case unreachable
      /// The connection ended before the outcome arrived, so the outcome is unknown.
      case lost
      /// The server did not respond in time, so the outcome is unknown.
      case late
      /// The server refused the connection or the statement.
      case refused
    }

    var kind: Kind
    /// The five characters of the SQL standard for the cause (SQLSTATE); empty if the server sent none.
    var state: String
    /// The message of the server or of libpq, in one line.
    var message: String
    /// True if a host sent nothing at all, so that another host is tried next.
    var isSilence = false
    /// True if the server requires a password, and none was given.
    var needsPassword = false

    init(_ kind: Kind, state: String = "", isSilence: Bool = false, _ message: String) {
      self.kind = kind
      self.state = state
      self.isSilence = isSilence
      self.message = message.oneLine
    }

    /// Parses libpq's message about a connection that could not be made. The verbose form contains the state:
    /// `FATAL:  28P01: password authentication failed`.
    init(connecting message: String) {
      let line = message.oneLine
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      let found = words.first { word in
        word.utf8.count == 6 && word.hasSuffix(":")
          && word.utf8.dropLast().allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 }
          && word.utf8.contains { 48...57 ~= $0 }
      }
      self.init(.unreachable, state: found.map { String($0.dropLast()) } ?? "", line)
    }

    /// True if the same may succeed a little later: the server cannot be reached, is starting, or has no
    /// connection left.
    var passes: Bool {
      if needsPassword { return false }
      if refusesSettings { return true }
      if kind != .refused, state.isEmpty { return true }
      return ["08", "57"].contains(state.prefix(2)) || state == "53300"
    }

    /// The state of a claim by a program that does not know the schema.
    static let tooNew = "ERND1"

    /// True if the statement gave up because another transaction held a lock for too long. It was undone.
    var isLockTimeout: Bool { state == "55P03" }

    /// True if the statement may have done its work nevertheless.
    var mayBeDone: Bool { kind == .lost || kind == .late }

    /// True if a pooler accepts no settings of a session. The next attempt sends none.
    var refusesSettings: Bool {
      kind == .unreachable && message.contains("unsupported startup parameter") && message.contains("options")
    }

    /// True if a statement was undone because of concurrent statements. It may be sent again at once.
    var isConflict: Bool { state == "40001" || state == "40P01" }
  }

  extension OutboxError {
    /// Creates an error that says why the database could not be used, and what to do.
    init(_ failure: PostgresFailure, _ place: String) {
      self =
        failure.needsPassword
        ? OutboxError(
          .notWritable,
          "\(place) requires a password, and none was given: put it into the URL, PGPASSWORD, or the file of PGPASSFILE"
        )
        : Self.byState(failure, place) ?? Self.byKind(failure, place)
    }

    private static func byKind(_ failure: PostgresFailure, _ place: String) -> OutboxError {
      switch failure.kind {
      case .unreachable:
        OutboxError(
          .failed,
          "\(place) cannot be reached (\(failure.message)): check that the server runs, and try again")
      case .lost:
        OutboxError(
          .unconfirmed,
          "the connection to \(place) ended before the result arrived, so it is unknown whether the change was made "
            + "(\(failure.message)): repeat the call")
      case .late:
        OutboxError(
          .unconfirmed,
          "\(place) did not respond in time, so it is unknown whether the change was made (\(failure.message)): "
            + "repeat the call")
      case .refused:
        OutboxError(.failed, "\(place) refused the statement: \(failure.message) (\(failure.state))")
      }
    }

    private static func byState(_ failure: PostgresFailure, _ place: String) -> OutboxError? {
      let said = "\(failure.message), \(failure.state)"
      switch failure.state {
      case "53100":
        return OutboxError(
          .diskFull,
          "the disk of \(place) is full (\(said)): free some space, and repeat the call; requests that were stored before are still "
            + "there")
      case "25006":
        return OutboxError(
          .notWritable, "\(place) is a standby, or read-only (\(said)): use the URL of the primary server")
      case "42501":
        return OutboxError(
          .notWritable,
          "the role lacks rights in \(place) (\(said)): grant them, or use the role that made the "
            + "schema")
      case "28P01", "28000":
        return OutboxError(
          .notWritable, "\(place) refused the role (\(said)): check the user and the password")
      case "3D000": return OutboxError(.notWritable, "\(place) does not exist (\(said)): create it first")
      case "53300":
        return OutboxError(
          .busy,
          "\(place) has no connection left (\(said)): raise max_connections, or put pgbouncer before it")
      case "57014", "55P03":
        return OutboxError(
          .busy,
          "\(place) took too long (\(said)): find out which session holds its locks, and repeat the call")
      case PostgresFailure.tooNew:
        return OutboxError(
          .tooNew,
          "a newer version of Errand has changed \(place) (\(failure.message)): update this program; it claims no requests "
            + "until then")
      case "XX001", "XX002": return OutboxError(.damaged, "\(place) is damaged (\(said))")
      case "42883", "42P01", "42703", "3F000":
        return OutboxError(
          .tooNew,
          "\(place) lacks tables of this version of Errand (\(said)): a newer version has changed them, or they "
            + "were never made; run `errand outbox migrate` of the newest version, and use that version")
      default: return nil
      }
    }
  }

  extension String {
    /// The first line, without the part about the server's source.
    fileprivate var oneLine: String {
      String(split(separator: "\n", maxSplits: 1).first ?? "").trimmed
    }

    private var trimmed: String {
      var text = Substring(self)
      while text.last == " " || text.last == "\r" { text.removeLast() }
      return String(text)
    }
  }
#endif
