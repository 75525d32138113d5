import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.computesLong) struct RequestScopeStateTests {
  private typealias State = RequestScopeState<Int, Int>

  @Test(arguments: 1...20)
  func `a scope holds the members that have entered and have neither left nor been removed`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var state = State()
    var inside: [Int: State.Place] = [:]
    var gone: [State.Place] = []
    var ended = false
    for step in 0..<2000 {
      switch Int.random(in: 0..<1000, using: &random) {
      case 0:
        ended = true
        #expect(state.close(.superseded) == .superseded)
      case 1..<20:
        #expect(state.takeAll().sorted() == inside.keys.sorted())
        gone += inside.values
        inside = [:]
      case 20..<500:
        if let place = state.enter(step) {
          #expect(!ended)
          inside[step] = place
        } else {
          #expect(ended)
        }
      case 500..<600:
        if let old = gone.randomElement(using: &random) { #expect(state.leave(old) == nil) }
      default:
        guard let member = inside.keys.sorted().randomElement(using: &random), let place = inside[member]
        else { continue }
        #expect(state.leave(place) == member)
        inside[member] = nil
        gone.append(place)
      }
      #expect(state.count == inside.count)
    }
  }

  @Test func `a place from before a removal of all members frees no other member's place`() {
    var state = State()
    let old = state.enter(1)
    #expect(state.takeAll() == [1])
    _ = state.enter(2)
    let freed = old.flatMap { state.leave($0) }
    #expect(freed == nil)
    #expect(state.count == 1)
  }

  @Test func `a scope keeps its first reason to end`() {
    var state = State()
    #expect(state.close(.superseded) == .superseded)
    #expect(state.close(.callCancelled) == .superseded)
    #expect(state.ending == .superseded)
    #expect(state.enter(1) == nil)
    #expect(state.adopt(1) == nil)
  }

  @Test func `a million members that enter and leave leave nothing behind`() {
    var state = State()
    var inside: [State.Place] = []
    for member in 0..<1_000_000 {
      if let place = state.enter(member) { inside.append(place) }
      if inside.count == 10 {
        for place in inside { _ = state.leave(place) }
        inside.removeAll(keepingCapacity: true)
      }
    }
    #expect(state.count == 0)
    let slots = Mirror(reflecting: state).descendant("members", "cells").map { Mirror(reflecting: $0) }
    #expect(slots?.children.count == 10)
  }
}
