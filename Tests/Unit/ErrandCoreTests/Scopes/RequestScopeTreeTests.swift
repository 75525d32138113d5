import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

/// Random trees of scopes, compared with a model that searches lists.
@Suite(.computesLong) struct RequestScopeTreeTests {
  private struct Member {
    let scope: Int
    let cancellation: CancellationToken
    let membership: ScopeMembership
    var isIn = true
    var expected: CancellationReason?
  }

  private struct Model {
    var parents: [Int?] = []
    var endings: [CancellationReason?] = []
    var members: [Member] = []

    func isInside(_ scope: Int, _ outer: Int) -> Bool {
      var next: Int? = scope
      while let current = next {
        if current == outer { return true }
        next = parents[current]
      }
      return false
    }

    mutating func add(in parent: Int?) {
      parents.append(parent)
      endings.append(parent.flatMap { endings[$0] })
    }

    mutating func cancel(_ outer: Int, _ reason: CancellationReason) {
      for index in members.indices where members[index].isIn && isInside(members[index].scope, outer) {
        members[index].isIn = false
        members[index].expected = reason
      }
    }

    mutating func end(_ outer: Int, _ reason: CancellationReason) {
      cancel(outer, reason)
      for scope in parents.indices where isInside(scope, outer) { endings[scope] = endings[scope] ?? reason }
    }

    func count(_ outer: Int) -> Int { members.filter { $0.isIn && isInside($0.scope, outer) }.count }
  }

  @Test(arguments: 1...20)
  func `any tree of scopes behaves like the model`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var model = Model()
    var handles: [RequestScope?] = []
    let log = EventLog()
    for step in 0..<200 {
      let alive = handles.indices.filter { handles[$0] != nil }
      let chosen = alive.randomElement(using: &random)
      let reason: CancellationReason? = Bool.random(using: &random) ? .other("\(step)") : nil
      let before = log.events.count
      switch (Int.random(in: 0..<100, using: &random), chosen) {
      case (..<15, _), (_, nil):
        let parent = Int.random(in: 0..<4, using: &random) == 0 ? nil : chosen
        model.add(in: parent)
        handles.append(RequestScope("\(handles.count)", in: parent.flatMap { handles[$0] }))
      case (15..<65, let scope?):
        let cancellation = CancellationToken()
        do throws(RequestError) {
          guard let membership = try handles[scope]?.enter(cancellation) else { continue }
          #expect(model.endings[scope] == nil)
          _ = cancellation.onCancel { log.note("\(scope)") }
          model.members.append(Member(scope: scope, cancellation: cancellation, membership: membership))
        } catch {
          #expect(error.cancellation == model.endings[scope])
          #expect(error.cancellation != nil)
        }
      case (65..<85, _):
        guard let index = model.members.indices.randomElement(using: &random) else { continue }
        model.members[index].membership.leave()
        model.members[index].isIn = false
      case (85..<92, let scope?):
        handles[scope]?.cancelAll(reason: reason)
        model.cancel(scope, reason ?? .scopeEnded("\(scope)"))
      case (92..<96, let scope?):
        if let reason { handles[scope]?.cancel(reason: reason) } else { handles[scope]?.end() }
        model.end(scope, reason ?? .scopeEnded("\(scope)"))
      case (_, let scope?):
        handles[scope] = nil
        model.end(scope, .scopeEnded("\(scope)"))
      }
      check(model, handles)
      checkOrder(log.events.dropFirst(before).compactMap(Int.init), model)
    }
    for member in model.members {
      #expect(member.cancellation.cause == member.expected.map { .cancelled($0) })
    }
    handles = []
    #expect(log.events.count == model.members.filter { $0.expected != nil || $0.isIn }.count)
  }

  private func check(_ model: Model, _ handles: [RequestScope?]) {
    for (index, handle) in handles.enumerated() {
      guard let handle else { continue }
      #expect(handle.count == model.count(index))
      #expect(handle.isCancelled == (model.endings[index] != nil))
    }
  }

  private func checkOrder(_ scopes: [Int], _ model: Model) {
    for (place, outer) in scopes.enumerated() {
      for inner in scopes[place...] where inner != outer { #expect(!model.isInside(inner, outer)) }
    }
  }
}
