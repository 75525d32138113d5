import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandUploads

/// The rules of one upload, without a network.
@Suite struct UploadStateTests {
  private typealias Step = UploadState.Step
  private static let url = "http://a.test/uploads/1"

  private static func state(_ change: (inout UploadState.Rules) -> Void = { _ in }) -> UploadState {
    var rules = UploadState.Rules(length: 100, mayRepeat: false)
    change(&rules)
    return UploadState(rules)
  }

  private static func facts(_ status: Int, _ change: (inout UploadFacts) -> Void = { _ in }) -> UploadFacts {
    var facts = UploadFacts(status: HTTPStatus(status))
    change(&facts)
    return facts
  }

  private static func piece(_ start: Int64, _ end: Int64, _ isLast: Bool? = nil) -> UploadPiece {
    UploadPiece(start: start, end: end, isLast: isLast ?? (end == 100))
  }

  /// Returns a state that knows an upload with 40 confirmed bytes, and has asked for the offset.
  private static func asking(
    _ dialect: UploadDialect = .ietf(8), mayBeComplete: Bool = false,
    _ change: (inout UploadState.Rules) -> Void = { _ in }
  ) -> UploadState {
    var state = state(change)
    let resource = UploadState.Resource(url: url, dialect: dialect, confirmed: 40)
    #expect(state.begin(with: resource, mayBeComplete: mayBeComplete) == .askOffset)
    return state
  }

  /// Returns a state that appends from 40.
  private static func appending(
    _ dialect: UploadDialect = .ietf(8), _ change: (inout UploadState.Rules) -> Void = { _ in }
  ) -> UploadState {
    var state = asking(dialect, change)
    let step = state.responded(facts(204) { $0.offset = 40 })
    guard case .append = step else {
      Issue.record("\(step)")
      return state
    }
    return state
  }

  @Test func `a server that confirms more than was sent is not believed`() {
    var rules: (inout UploadState.Rules) -> Void { { $0.pieceLimit = 20 } }
    for dialect in [UploadDialect.ietf(8), .tus] {
      var appending = Self.appending(dialect, rules)
      #expect(
        appending.responded(Self.facts(204) { $0.offset = 100 }) == .fail(.offsetBeyondSent(100, sent: 60)))
    }
    for offset in [nil, 100] as [Int64?] {
      var appending = Self.appending(.ietf(8), rules)
      #expect(
        appending.responded(Self.facts(200) { ($0.isComplete, $0.offset) = (true, offset) })
          == .fail(.offsetBeyondSent(100, sent: 60)))
      var creating = Self.state {
        $0.choice = .ietf
        $0.pieceLimit = 20
      }
      #expect(creating.begin(with: nil) == .create(Self.piece(0, 20), .ietf(8)))
      #expect(
        creating.responded(Self.facts(201) { ($0.isComplete, $0.offset) = (true, offset) })
          == .fail(.offsetBeyondSent(100, sent: 20)))
    }
  }

  // MARK: Creation

  @Test func `an upload begins with the whole content, and a tus upload with none`() {
    var automatic = Self.state()
    #expect(automatic.begin(with: nil) == .create(Self.piece(0, 100), .ietf(8)))
    var tus = Self.state { $0.choice = .tus }
    #expect(tus.begin(with: nil) == .create(Self.piece(0, 0, false), .tus))
    var pieces = Self.state {
      $0.choice = .ietf
      $0.pieceLimit = 30
    }
    #expect(pieces.begin(with: nil) == .create(Self.piece(0, 30), .ietf(8)))
    // A server without support would take the first piece for the file.
    var careful = Self.state { $0.pieceLimit = 30 }
    #expect(careful.begin(with: nil) == .create(Self.piece(0, 100), .ietf(8)))
  }

  @Test(arguments: [200, 201, 204]) func `a success of a plain server is the outcome`(status: Int) {
    var state = Self.state()
    _ = state.begin(with: nil)
    #expect(state.responded(Self.facts(status)) == .finish(isEarlier: false))
  }

  @Test(arguments: [400, 401, 403, 404, 409, 413, 415]) func `a refusal of a plain server is the outcome`(
    status: Int
  ) {
    var state = Self.state()
    _ = state.begin(with: nil)
    #expect(state.responded(Self.facts(status)) == .respond)
    #expect(state.resource == nil)
  }

  @Test func `an interim response names the upload, which a later attempt continues`() {
    var state = Self.state()
    _ = state.begin(with: nil)
    #expect(state.interim(Self.facts(103) { $0.location = Self.url }) == .none)
    #expect(state.interim(Self.facts(104)) == .none)
    #expect(state.interim(Self.facts(104) { $0.location = Self.url }) == .learned)
    #expect(state.interim(Self.facts(104) { $0.location = Self.url }) == .none)
    #expect(state.begin(with: nil) == .askOffset)
    #expect(state.responded(Self.facts(503)) == .retryLater)
    #expect(state.begin(with: nil) == .askOffset)
    #expect(state.responded(Self.facts(204) { $0.offset = 7 }) == .append(Self.piece(7, 100)))
  }

  @Test func `a server that names another version gets that version, once`() {
    var state = Self.state()
    _ = state.begin(with: nil)
    #expect(
      state.responded(Self.facts(400) { $0.dialect = .ietf(5) }) == .create(Self.piece(0, 100), .ietf(5)))
    #expect(state.responded(Self.facts(400) { $0.dialect = .ietf(8) }) == .respond)
  }

  @Test func `a response of tus continues by tus, from the beginning`() {
    var state = Self.state()
    _ = state.begin(with: nil)
    let created = Self.facts(201) {
      $0.dialect = .tus
      $0.location = Self.url
    }
    #expect(state.responded(created) == .append(Self.piece(0, 100)))
    #expect(state.resource?.dialect == .tus)
    var ietf = Self.state { $0.choice = .ietf }
    _ = ietf.begin(with: nil)
    #expect(ietf.responded(created) == .finish(isEarlier: false))
  }

  @Test func `a server without tus is an error where tus is required`() {
    for (facts, failure) in [
      (Self.facts(200), UploadState.Failure.noSupport),
      (Self.facts(412) { $0.hasOtherTus = true }, .otherTusVersion),
      (Self.facts(201) { $0.dialect = .tus }, .noLocation),
      (
        Self.facts(413) {
          $0.dialect = .tus
          $0.limits = UploadLimits(maxSize: 99)
        }, .tooLarge(limit: 99)
      ),
    ] {
      var state = Self.state { $0.choice = .tus }
      _ = state.begin(with: nil)
      #expect(state.responded(facts) == .fail(failure))
    }
  }

  @Test func `limits end a request that is too long, and divide the content`() {
    var state = Self.state()
    _ = state.begin(with: nil)
    let limited = Self.facts(104) {
      $0.location = Self.url
      $0.limits = UploadLimits(maxAppendSize: 30, minAppendSize: 10)
    }
    #expect(state.interim(limited) == .stop)
    #expect(state.stopped() == .askOffset)
    #expect(state.responded(Self.facts(204) { $0.offset = 5 }) == .append(Self.piece(5, 35)))
    #expect(state.responded(Self.facts(204)) == .append(Self.piece(35, 65)))
    #expect(state.responded(Self.facts(204) { $0.offset = 64 }) == .append(Self.piece(64, 94)))
    #expect(state.responded(Self.facts(204)) == .append(Self.piece(94, 100)))
    #expect(state.responded(Self.facts(200) { $0.isComplete = true }) == .finish(isEarlier: false))
  }

  @Test func `a size that the server does not take is an error`() {
    for (limits, failure) in [
      (UploadLimits(maxSize: 99), UploadState.Failure.tooLarge(limit: 99)),
      (UploadLimits(minSize: 101), .tooSmall(limit: 101)),
    ] {
      var state = Self.state()
      _ = state.begin(with: nil)
      #expect(state.interim(Self.facts(104) { ($0.location, $0.limits) = (Self.url, limits) }) == .stop)
      #expect(state.stopped() == .fail(failure))
    }
    var asking = Self.asking()
    let contradiction = Self.facts(204) {
      $0.offset = 40
      $0.limits = UploadLimits(maxAppendSize: 10, minAppendSize: 20)
    }
    #expect(asking.responded(contradiction) == .fail(.limitsContradict(least: 20, most: 10)))
  }

  @Test func `a request that is too large for a proxy is divided where uploads are supported`() {
    var state = UploadState(UploadState.Rules(length: 40 << 20, mayRepeat: false, choice: .ietf))
    _ = state.begin(with: nil)
    #expect(
      state.responded(Self.facts(413)) == .create(UploadPiece(start: 0, end: 0, isLast: false), .ietf(8)))
    var step = state.responded(Self.facts(201) { $0.location = Self.url })
    for size: Int64 in [16 << 20, 4 << 20, 1 << 20, 256 << 10, 64 << 10] {
      #expect(step == .append(UploadPiece(start: 0, end: size, isLast: false)))
      step = state.responded(Self.facts(413))
      guard step == .askOffset else { break }
      step = state.responded(Self.facts(204) { $0.offset = 0 })
    }
    #expect(step == .fail(.pieceTooLarge(64 << 10)))
  }

  // MARK: The offset

  @Test(arguments: [UploadDialect.ietf(8), .ietf(3), .tus])
  func `the server's offset counts, unless it cannot be right`(_ dialect: UploadDialect) {
    var beyond = Self.asking(dialect)
    #expect(beyond.responded(Self.facts(204) { $0.offset = 101 }) == .fail(.offsetBeyondEnd(101)))
    var other = Self.asking(dialect)
    #expect(other.responded(Self.facts(204) { ($0.offset, $0.length) = (40, 90) }) == .fail(.otherLength(90)))
    var none = Self.asking(dialect)
    #expect(none.responded(Self.facts(204)) == .fail(.noOffset))
    for offset: Int64 in [40, 41, 99] {
      var state = Self.asking(dialect)
      #expect(state.responded(Self.facts(204) { $0.offset = offset }) == .append(Self.piece(offset, 100)))
      #expect(state.best == offset)
    }
    var atEnd = Self.asking(dialect)
    let step = atEnd.responded(Self.facts(204) { $0.offset = 100 })
    #expect(step == (dialect == .tus ? .finish(isEarlier: false) : .append(Self.piece(100, 100))))
    var complete = Self.asking(dialect)
    #expect(
      complete.responded(Self.facts(204) { ($0.isComplete, $0.offset) = (true, 100) })
        == .finish(isEarlier: false))
  }

  @Test func `an upload whose confirmed bytes are lost is begun again, and then an error`() {
    var state = Self.asking()
    for _ in 0..<2 {
      #expect(state.responded(Self.facts(204) { $0.offset = 39 }) == .create(Self.piece(0, 100), .ietf(8)))
      _ = state.interim(Self.facts(104) { $0.location = Self.url })
      _ = state.begin(with: nil)
      #expect(state.responded(Self.facts(204) { $0.offset = 40 }) == .append(Self.piece(40, 100)))
      _ = state.begin(with: nil)
    }
    #expect(state.responded(Self.facts(204) { $0.offset = 39 }) == .fail(.offsetDecreased(from: 40, to: 39)))
  }

  @Test(arguments: [404, 410]) func `a lost upload is begun again, unless it may be complete`(status: Int) {
    var state = Self.asking()
    #expect(state.responded(Self.facts(status)) == .create(Self.piece(0, 100), .ietf(8)))
    var unsure = Self.asking(mayBeComplete: true)
    #expect(unsure.responded(Self.facts(status)) == .fail(.outcomeUnknown))
    var repeatable = Self.asking(mayBeComplete: true) { $0.mayRepeat = true }
    #expect(repeatable.responded(Self.facts(status)) == .create(Self.piece(0, 100), .ietf(8)))
    // The server still knew the upload, and it was not complete.
    var sure = Self.asking(mayBeComplete: true)
    _ = sure.responded(Self.facts(204) { $0.offset = 50 })
    #expect(sure.responded(Self.facts(status)) == .create(Self.piece(0, 100), .ietf(8)))
  }

  @Test func `a server that forgets each upload ends the attempts`() {
    var state = Self.asking()
    var steps = 0
    var step = Step.askOffset
    while step != .fail(.gone), steps < 20 {
      step = state.responded(Self.facts(404))
      if case .create = step { _ = state.interim(Self.facts(104) { $0.location = Self.url }) }
      _ = state.begin(with: nil)
      steps += 1
    }
    #expect(steps == 3)
  }

  // MARK: Appending

  @Test func `a server that names another offset with each conflict is not asked without end`() {
    var state = Self.appending()
    var (step, steps, offset) = (Step.askOffset, 0, Int64(40))
    while step != .fail(.conflicts), steps < 50 {
      offset += 1
      step = state.responded(Self.facts(409) { $0.offset = offset })
      steps += 1
    }
    #expect(steps < 20)
    // It counts as no progress.
    #expect(state.best == 40)
  }

  @Test func `an upload that is said to be complete must have all bytes`() {
    var asking = Self.asking()
    #expect(
      asking.responded(Self.facts(204) { ($0.isComplete, $0.offset) = (true, 60) }) == .fail(.otherLength(60))
    )
    // Not all bytes were sent, and the server does not say how many it has.
    asking = Self.asking()
    #expect(asking.responded(Self.facts(204) { $0.isComplete = true }) == .fail(.noOffset))
    asking = Self.asking(mayBeComplete: true)
    #expect(asking.responded(Self.facts(204) { $0.isComplete = true }) == .finish(isEarlier: false))
    var appending = Self.appending()
    #expect(
      appending.responded(Self.facts(201) { ($0.isComplete, $0.offset) = (true, 70) })
        == .fail(.otherLength(70)))
  }

  @Test func `a conflict is solved by the server's offset`() {
    var state = Self.appending()
    #expect(state.responded(Self.facts(409) { $0.offset = 60 }) == .append(Self.piece(60, 100)))
    #expect(state.responded(Self.facts(409)) == .askOffset)
    #expect(state.responded(Self.facts(204) { $0.offset = 60 }) == .append(Self.piece(60, 100)))
    var steps = 0
    var step = Step.append(Self.piece(60, 100))
    while step != .fail(.conflicts), steps < 50 {
      step = state.responded(Self.facts(409) { $0.offset = 60 })
      if step == .askOffset { step = state.responded(Self.facts(204) { $0.offset = 60 }) }
      steps += 1
    }
    #expect(steps < 20)
  }

  @Test(arguments: [408, 423, 429, 500, 502, 503, 504, 507])
  func `trouble of the server is for a later attempt`(status: Int) {
    var state = Self.appending()
    #expect(state.responded(Self.facts(status)) == .retryLater)
    var asking = Self.asking()
    #expect(asking.responded(Self.facts(status)) == .retryLater)
  }

  @Test(arguments: [400, 401, 403, 405, 415, 501]) func `another refusal of an append is the outcome`(
    status: Int
  ) {
    var state = Self.appending()
    #expect(state.responded(Self.facts(status)) == .respond)
  }

  @Test func `a response that says that the upload is complete is the outcome, whatever its status`() {
    for status in [200, 404, 409, 500] {
      var state = Self.appending()
      #expect(state.responded(Self.facts(status) { $0.isComplete = true }) == .finish(isEarlier: false))
    }
  }

  @Test func `the end is confirmed as each version does it`() {
    for version in [3, 5, 6] {
      var state = Self.appending(.ietf(version))
      #expect(state.responded(Self.facts(201)) == .finish(isEarlier: false))
    }
    var state = Self.appending()
    #expect(state.responded(Self.facts(201)) == .askOffset)
    #expect(state.responded(Self.facts(204) { $0.isComplete = true }) == .finish(isEarlier: true))
    var tus = Self.appending(.tus)
    #expect(tus.responded(Self.facts(204)) == .askOffset)
    #expect(tus.responded(Self.facts(200) { $0.offset = 100 }) == .finish(isEarlier: false))
    var shorter = Self.appending(.tus)
    #expect(shorter.responded(Self.facts(204) { $0.offset = 70 }) == .append(Self.piece(70, 100)))
  }

  @Test func `damaged bytes are sent again, a bounded number of times`() {
    var state = Self.appending(.tus)
    #expect(state.responded(Self.facts(460)) == .askOffset)
    var steps = 0
    var step = state.responded(Self.facts(200) { $0.offset = 40 })
    while step != .fail(.damaged), steps < 50 {
      step = state.responded(Self.facts(460))
      if step == .askOffset { step = state.responded(Self.facts(200) { $0.offset = 40 }) }
      if step == .fail(.conflicts) { break }
      steps += 1
    }
    #expect(steps < 20)
  }

  // MARK: Random servers

  /// A server that stores what it gets, and fails at random.
  private struct Server {
    var offset: Int64?
    var isComplete = false
    var length: Int64
    var random: SeededRandom
    var completions = 0
    var mostFaults: Int
    var received: Int64 = 0

    private mutating func chance(_ percent: Int) -> Bool {
      guard mostFaults > 0, Int.random(in: 0..<100, using: &random) < percent else { return false }
      mostFaults -= 1
      return true
    }

    /// Returns the response; nil if the connection breaks.
    mutating func respond(_ step: Step, _ state: inout UploadState) -> UploadFacts? {
      switch step {
      case .create(let piece, let dialect):
        if chance(10) { return chance(50) ? nil : facts(503) }
        (offset, isComplete) = (0, false)
        if dialect == .tus {
          if length == 0 { (isComplete, completions) = (true, completions + 1) }
          return facts(201) { ($0.dialect, $0.location) = (.tus, "/\(random.next())") }
        }
        if !chance(10) { _ = state.interim(facts(104) { $0.location = "/\(random.next())" }) }
        var created = store(piece, &state, isTus: false)
        if !isComplete { created?.location = "/\(random.next())" }
        return created
      case .askOffset:
        if chance(20) { return chance(50) ? nil : facts([423, 500, 503].randomElement(using: &random)!) }
        if chance(3) { (offset, isComplete) = (nil, false) }
        guard let offset else { return facts(404) }
        return facts(204) { ($0.offset, $0.isComplete, $0.length) = (offset, isComplete, length) }
      case .append(let piece):
        guard let offset else { return facts(404) }
        if chance(10) { return facts([409, 423, 503].randomElement(using: &random)!) }
        guard piece.start == offset, !isComplete else {
          return facts(409) { if chance(50) { $0.offset = offset } }
        }
        return store(piece, &state, isTus: state.resource?.dialect == .tus)
      default: return nil
      }
    }

    private mutating func store(_ piece: UploadPiece, _ state: inout UploadState, isTus: Bool) -> UploadFacts?
    {
      if chance(40) {
        let part = Int64.random(in: 0...max(0, piece.count - 1), using: &random)
        offset = (offset ?? 0) + part
        received += part
        return nil
      }
      state.mayBeComplete = piece.end == length
      offset = (offset ?? 0) + piece.count
      received += piece.count
      if isTus ? offset == length : piece.isLast {
        isComplete = true
        completions += 1
      }
      if chance(20) { return nil }
      return facts(isComplete ? 200 : 204) {
        if isTus || !isComplete { $0.offset = offset }
        if !isTus { $0.isComplete = isComplete }
      }
    }

    private func facts(_ status: Int, _ change: (inout UploadFacts) -> Void = { _ in }) -> UploadFacts {
      UploadStateTests.facts(status, change)
    }
  }

  @Test(arguments: 0..<3000) func `no byte is skipped, and an upload ends with all of them`(seed: Int) throws
  {
    var random = SeededRandom(seed: UInt64(seed))
    let length = Int64.random(in: 0...50, using: &random)
    var rules = UploadState.Rules(length: length, mayRepeat: Bool.random(using: &random))
    rules.choice = [.automatic, .ietf, .tus].randomElement(using: &random)!
    if Bool.random(using: &random) { rules.pieceLimit = Int64.random(in: 1...20, using: &random) }
    var state = UploadState(rules)
    var server = Server(length: length, random: random, mostFaults: Int.random(in: 0...60, using: &random))
    var step = state.begin(with: nil)
    for _ in 0..<2000 {
      switch step {
      case .finish:
        #expect(server.offset == length && server.isComplete)
        if !rules.mayRepeat { #expect(server.completions == 1) }
        return
      case .fail(let failure):
        #expect([.gone, .outcomeUnknown, .conflicts].contains(failure), "\(failure)")
        return
      case .respond:
        Issue.record("a response ended the upload")
        return
      case .retryLater: step = state.begin(with: nil)
      case .create, .askOffset, .append:
        if case .append(let piece) = step {
          #expect(piece.start >= 0 && piece.end <= length && piece.end >= piece.start)
          #expect(piece.isLast == (piece.end == length))
        }
        if let facts = server.respond(step, &state) {
          step = state.responded(facts)
        } else {
          // Without an upload, only a request that may be repeated is sent again.
          if state.resource == nil, state.mayBeComplete, !rules.mayRepeat { return }
          step = state.begin(with: nil)
        }
      }
    }
    Issue.record("the upload does not end")
  }
}
