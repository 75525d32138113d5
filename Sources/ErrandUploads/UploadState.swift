import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides the requests of one resumable upload. Pure: it takes the parts of responses that concern uploads, and returns
/// the next step.
struct UploadState: Sendable {
  /// The settings of the upload.
  struct Rules: Sendable {
    /// The number of bytes to upload.
    var length: Int64
    /// True if the server may process the whole upload twice without harm.
    var mayRepeat: Bool
    /// The protocols that may be used.
    var choice: UploadResumption.Choice = .automatic
    /// The most bytes of one request; nil for no limit.
    var pieceLimit: Int64?
    /// The protocol that the server is known to speak.
    var known: UploadDialect?
  }

  /// An upload on the server.
  struct Resource: Sendable, Hashable {
    var url: String
    var dialect: UploadDialect
    /// The number of bytes that the server has confirmed.
    var confirmed: Int64 = 0
    var limits = UploadLimits()
    var expires: Date?

    /// Takes the limits and the time of a response.
    mutating func take(_ facts: UploadFacts) {
      limits = limits.updated(by: facts.limits)
      expires = facts.expires ?? expires
    }
  }

  /// The next step.
  enum Step: Sendable, Hashable {
    case create(UploadPiece, UploadDialect)
    case askOffset
    case append(UploadPiece)
    /// The upload is complete. Its response is the one that was just received or, if `isEarlier`, the last one to an
    /// append.
    case finish(isEarlier: Bool)
    /// The response is the outcome, as that of any request.
    case respond
    /// A later attempt may continue.
    case retryLater
    case fail(Failure)
  }

  typealias Failure = UploadFailure

  /// The effect of an interim response.
  enum Interim: Sendable, Hashable {
    case none
    /// The upload's URL, or its limits, must be stored before more bytes go out.
    case learned
    /// The present request must end, because its content is too long. `stopped` returns the next step.
    case stop
  }

  /// The request that is under way.
  enum Asked: Sendable, Hashable {
    case nothing
    case create(UploadPiece, UploadDialect)
    case offset
    case append(UploadPiece)
  }

  private let rules: Rules
  private(set) var resource: Resource?
  private(set) var asked = Asked.nothing
  /// True if all bytes may have arrived. The caller sets it before the last byte goes out.
  var mayBeComplete = false
  /// The largest request that is made, after one was too large.
  private(set) var pieceLimit: Int64?
  /// The highest number of bytes that a server has confirmed.
  private(set) var best: Int64 = 0
  private var restarts = 0
  /// The number of steps since the last progress, which bounds every loop.
  private var idleSteps = 0
  private var triedVersions: Set<Int> = []
  private var failure: Failure?
  /// True if a response to an append may be that of the complete upload.
  private var holdsResponse = false

  private static let mostRestarts = 2
  private static let mostIdleSteps = 12
  /// The sizes of requests after one was too large, without a limit that the server names. 1 MiB is the default of
  /// nginx.
  private static let pieceSizes: [Int64] = [16 << 20, 4 << 20, 1 << 20, 256 << 10, 64 << 10]

  init(_ rules: Rules) { self.rules = rules }

  private var length: Int64 { rules.length }

  // MARK: The beginning

  /// Begins an attempt.
  /// - Parameter resource: The upload that an earlier attempt left; nil for none.
  mutating func begin(with resource: Resource?, mayBeComplete: Bool = false, pieceLimit: Int64? = nil) -> Step
  {
    if let resource {
      self.resource = resource
      self.mayBeComplete = mayBeComplete
      self.pieceLimit = pieceLimit
      best = max(best, resource.confirmed)
    }
    (idleSteps, holdsResponse) = (0, false)
    return self.resource == nil ? create() : ask()
  }

  private mutating func create() -> Step {
    switch (rules.choice, rules.known) {
    case (.tus, _), (.automatic, .tus): create(UploadPiece(start: 0, end: 0, isLast: false), .tus)
    case (_, .ietf(let version)?): create(whole, .ietf(version))
    default: create(whole, .newest)
    }
  }

  private var whole: UploadPiece {
    guard let most = rules.pieceLimit, most < length, rules.choice == .ietf || rules.known != nil else {
      return UploadPiece(start: 0, end: length, isLast: true)
    }
    return UploadPiece(start: 0, end: most, isLast: false)
  }

  private mutating func create(_ piece: UploadPiece, _ dialect: UploadDialect) -> Step {
    if case .ietf(let version) = dialect { triedVersions.insert(version) }
    asked = .create(piece, dialect)
    return .create(piece, dialect)
  }

  private mutating func ask() -> Step {
    guard isWithinSteps() else { return .fail(failure ?? .conflicts) }
    asked = .offset
    return .askOffset
  }

  private mutating func isWithinSteps() -> Bool {
    idleSteps += 1
    return idleSteps <= Self.mostIdleSteps
  }

  /// Returns the step that sends the bytes from an offset that the server has confirmed.
  private mutating func append(from offset: Int64) -> Step {
    guard let dialect = resource?.dialect else { return .fail(.noLocation) }
    if offset > best {
      best = offset
      idleSteps = 0
      restarts = 0
    }
    resource?.confirmed = offset
    if offset == length, dialect == .tus { return .finish(isEarlier: holdsResponse) }
    guard isWithinSteps() else { return .fail(failure ?? .conflicts) }
    let limits = resource?.limits ?? UploadLimits()
    let rest = length - offset
    let most = [limits.maxAppendSize, pieceLimit, rules.pieceLimit].compactMap(\.self).min() ?? rest
    var end = length
    if rest > most {
      let least = limits.minAppendSize ?? 0
      if let own = limits.maxAppendSize, own < least {
        return .fail(.limitsContradict(least: least, most: own))
      }
      let size = max(most, least)
      guard size > 0 else { return .fail(.limitsContradict(least: least, most: most)) }
      end = offset + min(size, rest)
    }
    let piece = UploadPiece(start: offset, end: end, isLast: end == length)
    asked = .append(piece)
    return .append(piece)
  }

  // MARK: Interim responses

  /// Takes an interim response to the present request.
  mutating func interim(_ facts: UploadFacts) -> Interim {
    guard facts.status == 104 else { return .none }
    switch asked {
    case .create(let piece, let dialect):
      // Proxies may pass on a response of another protocol.
      if facts.dialect == .tus { return .none }
      guard let location = facts.location else { return .none }
      let isNew = resource?.url != location || resource?.limits != facts.limits ?? UploadLimits()
      learn(location, facts.dialect ?? dialect, facts)
      if let problem = sizeProblem {
        failure = problem
        return .stop
      }
      if let most = resource?.limits.maxAppendSize, most < piece.count { return .stop }
      return isNew ? .learned : .none
    case .append:
      resource?.take(facts)
      return .none
    case .offset, .nothing: return .none
    }
  }

  /// Returns the next step after a request that `interim` ended.
  mutating func stopped() -> Step {
    if let failure { return .fail(failure) }
    return ask()
  }

  private mutating func learn(_ location: String, _ dialect: UploadDialect, _ facts: UploadFacts) {
    var known = resource?.url == location ? resource : nil
    known = known ?? Resource(url: location, dialect: dialect)
    known?.dialect = dialect
    known?.take(facts)
    resource = known
  }

  private var sizeProblem: Failure? {
    if let most = resource?.limits.maxSize, most < length { return .tooLarge(limit: most) }
    if let least = resource?.limits.minSize, least > length { return .tooSmall(limit: least) }
    return nil
  }

  // MARK: Responses

  /// Takes the response to the present request.
  mutating func responded(_ facts: UploadFacts) -> Step {
    switch asked {
    case .nothing: .respond
    case .create(let piece, let dialect): created(facts, piece, dialect)
    case .offset: found(facts)
    case .append(let piece): appended(facts, piece)
    }
  }

  private mutating func created(_ facts: UploadFacts, _ piece: UploadPiece, _ dialect: UploadDialect) -> Step
  {
    let code = facts.status.code
    if facts.dialect == .tus, rules.choice != .ietf { return createdWithTus(facts) }
    if facts.hasOtherTus, rules.choice == .tus { return .fail(.otherTusVersion) }
    if dialect == .tus { return facts.status.isSuccess ? .fail(.noSupport) : failedCreation(code) }
    if case .ietf(let other)? = facts.dialect, code >= 400, code < 500, facts.isComplete != true,
      resource == nil, !triedVersions.contains(other)
    {
      return create(piece, .ietf(other))
    }
    if let problem = overclaim(facts, piece) { return .fail(problem) }
    if facts.isComplete == true { return finished(at: facts.offset ?? length, isEarlier: false) }
    if facts.status.isSuccess { return createdWithSuccess(facts, piece, dialect) }
    if code == 413 { return createdTooLarge(facts, piece, dialect) }
    return failedCreation(code)
  }

  private mutating func createdWithSuccess(
    _ facts: UploadFacts, _ piece: UploadPiece, _ dialect: UploadDialect
  ) -> Step {
    // A server without support ignores the fields, and its response is that of any request.
    if piece.isLast, facts.isComplete != false { return .finish(isEarlier: false) }
    if let location = facts.location ?? resource?.url { learn(location, ietf(facts) ?? dialect, facts) }
    guard resource != nil else { return .fail(piece.isLast ? .noLocation : .noSupport) }
    if let sizeProblem { return .fail(sizeProblem) }
    return continued(at: facts.offset ?? piece.end)
  }

  private func ietf(_ facts: UploadFacts) -> UploadDialect? {
    if case .ietf? = facts.dialect { facts.dialect } else { nil }
  }

  private mutating func createdWithTus(_ facts: UploadFacts) -> Step {
    if let most = facts.limits?.maxSize, most < length { return .fail(.tooLarge(limit: most)) }
    guard facts.status == 201 else {
      return facts.status.isSuccess ? .fail(.noLocation) : failedCreation(facts.status.code)
    }
    guard let location = facts.location else { return .fail(.noLocation) }
    // The URL of this response is the only one, whatever a proxy said before.
    resource = nil
    learn(location, .tus, facts)
    mayBeComplete = false
    return continued(at: facts.offset ?? 0)
  }

  private mutating func createdTooLarge(
    _ facts: UploadFacts, _ piece: UploadPiece, _ dialect: UploadDialect
  ) -> Step {
    if let most = facts.limits?.maxSize, most < length { return .fail(.tooLarge(limit: most)) }
    // Without a sign that uploads can be resumed, a smaller request would be a smaller file.
    guard facts.limits != nil || resource != nil || rules.choice == .ietf || rules.known != nil,
      piece.count > 0
    else { return .respond }
    takeTooLarge(facts, piece)
    if resource != nil { return ask() }
    return create(UploadPiece(start: 0, end: 0, isLast: false), dialect)
  }

  private func failedCreation(_ code: Int) -> Step {
    // An upload that was created can continue after trouble, but not after a refusal.
    code >= 500 || [408, 423, 429].contains(code) ? .retryLater : .respond
  }

  private mutating func found(_ facts: UploadFacts) -> Step {
    let code = facts.status.code
    if facts.status.isSuccess {
      resource?.take(facts)
      if let other = facts.length, other != length { return .fail(.otherLength(other)) }
      if facts.isComplete == true {
        // Without an offset, the server is believed only if it can have all bytes.
        guard let offset = facts.offset ?? (mayBeComplete || holdsResponse ? length : nil) else {
          return .fail(.noOffset)
        }
        return finished(at: offset, isEarlier: holdsResponse)
      }
      guard let offset = facts.offset else { return .fail(.noOffset) }
      if let sizeProblem { return .fail(sizeProblem) }
      if offset < length { mayBeComplete = false }
      holdsResponse = holdsResponse && offset == length
      return continued(at: offset)
    }
    if isGone(code) { return gone() }
    return retried(code)
  }

  /// Returns the problem of a response that confirms more bytes than were sent; nil if it does not. Without this, an upload
  /// of which a part was sent would count as delivered.
  private func overclaim(_ facts: UploadFacts, _ piece: UploadPiece) -> Failure? {
    if let offset = facts.offset, facts.status.isSuccess, offset > piece.end, offset <= length {
      return .offsetBeyondSent(offset, sent: piece.end)
    }
    if facts.isComplete == true, !piece.isLast, facts.offset ?? length >= length {
      return .offsetBeyondSent(length, sent: piece.end)
    }
    return nil
  }

  /// Ends the upload, which the server says to be complete.
  private func finished(at offset: Int64, isEarlier: Bool) -> Step {
    offset == length ? .finish(isEarlier: isEarlier) : .fail(.otherLength(offset))
  }

  /// Continues at the offset that the server named.
  private mutating func continued(at offset: Int64) -> Step {
    if offset > length { return .fail(.offsetBeyondEnd(offset)) }
    // A server that has lost confirmed bytes may have lost more than it says, so the upload is begun again.
    if let confirmed = resource?.confirmed, offset < confirmed {
      return startOver(.offsetDecreased(from: confirmed, to: offset))
    }
    return append(from: offset)
  }

  private mutating func appended(_ facts: UploadFacts, _ piece: UploadPiece) -> Step {
    let code = facts.status.code
    if let problem = overclaim(facts, piece) { return .fail(problem) }
    if facts.isComplete == true { return finished(at: facts.offset ?? length, isEarlier: false) }
    if facts.status.isSuccess { return appendedWithSuccess(facts, piece) }
    switch code {
    case 409:
      guard isWithinSteps() else { return .fail(.conflicts) }
      if let offset = facts.offset, offset != piece.start {
        // That is no progress: else a server that names another offset each time would get requests without end.
        let (steps, known) = (idleSteps, best)
        defer { (idleSteps, best) = (steps + 1, known) }
        return continued(at: offset)
      }
      return ask()
    case 413:
      takeTooLarge(facts, piece)
      if let pieceLimit, pieceLimit < piece.count { return ask() }
      return .fail(.pieceTooLarge(piece.count))
    case 460:
      // The bytes were damaged on their way.
      guard isWithinSteps() else { return .fail(.damaged) }
      return ask()
    case 400 where facts.problem == .completed: return ask()
    case 400 where facts.problem == .inconsistentLength: return .fail(.inconsistent)
    case _ where isGone(code): return gone()
    default: return retried(code)
    }
  }

  private mutating func appendedWithSuccess(_ facts: UploadFacts, _ piece: UploadPiece) -> Step {
    guard let resource else { return .fail(.noLocation) }
    if resource.dialect == .tus {
      guard let offset = facts.offset else { return ask() }
      holdsResponse = false
      if offset == length { return .finish(isEarlier: false) }
      return continued(at: offset)
    }
    guard piece.isLast else { return continued(at: facts.offset ?? piece.end) }
    if facts.isComplete == nil, !resource.dialect.confirmsEnd, facts.offset ?? length == length {
      return .finish(isEarlier: false)
    }
    if let offset = facts.offset, offset < length { return continued(at: offset) }
    holdsResponse = true
    return ask()
  }

  private mutating func retried(_ code: Int) -> Step {
    code >= 500 && code != 501 && code != 505 || [408, 423, 425, 429].contains(code) ? .retryLater : .respond
  }

  private func isGone(_ code: Int) -> Bool {
    code == 404 || code == 410 || code == 403 && resource?.dialect == .tus
  }

  private mutating func gone() -> Step {
    if mayBeComplete, !rules.mayRepeat {
      resource = nil
      return .fail(.outcomeUnknown)
    }
    return startOver(.gone)
  }

  private mutating func startOver(_ reason: Failure) -> Step {
    resource = nil
    mayBeComplete = false
    holdsResponse = false
    guard restarts < Self.mostRestarts, isWithinSteps() else { return .fail(reason) }
    restarts += 1
    return create()
  }

  private mutating func takeTooLarge(_ facts: UploadFacts, _ piece: UploadPiece) {
    if let most = facts.limits?.maxAppendSize, most < piece.count {
      pieceLimit = most
    } else {
      pieceLimit = Self.pieceSizes.first { $0 < piece.count && $0 < pieceLimit ?? .max } ?? piece.count
    }
  }
}
