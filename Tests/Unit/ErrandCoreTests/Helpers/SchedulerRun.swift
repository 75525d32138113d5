import Testing

@testable import ErrandCore

/// Applies each step to the scheduler and to its model, and compares them.
struct SchedulerRun {
  private(set) var state: SchedulerState<Int>
  private(set) var model: SchedulerModel
  private(set) var slots: [Int: Slot] = [:]
  private(set) var tickets: [Int: Ticket] = [:]
  private var last = 0
  var now = Duration.zero

  init(_ limits: ConcurrencyLimits) {
    state = SchedulerState(limits)
    model = SchedulerModel(limits)
  }

  var running: [Int] { slots.keys.sorted() }
  var waiting: [Int] { tickets.keys.sorted() }

  @discardableResult
  mutating func arrive(_ priority: Priority, origin: String = "a") -> Int {
    last += 1
    let expected = model.arrive(last, priority, origin: origin, at: now)
    switch state.arrive(last, priority, origin: origin, at: now) {
    case .started(let slot):
      slots[last] = slot
      #expect(expected == [last])
    case .waiting(let ticket):
      tickets[last] = ticket
      #expect(expected.isEmpty)
    }
    check()
    return last
  }

  @discardableResult
  mutating func finish(_ number: Int) -> [Int] {
    guard let slot = slots.removeValue(forKey: number) else { return [] }
    return take(state.finish(slot), model.finish(number))
  }

  mutating func leave(_ number: Int) {
    guard let ticket = tickets.removeValue(forKey: number) else { return }
    model.leave(number)
    #expect(state.leave(ticket) == number)
    #expect(state.leave(ticket) == nil)
    check()
  }

  @discardableResult
  mutating func raise(_ number: Int, to priority: Priority) -> [Int] {
    guard let ticket = tickets[number] else { return [] }
    return take(state.raise(ticket, to: priority), model.raise(number, to: priority))
  }

  @discardableResult
  mutating func setLimits(_ limits: ConcurrencyLimits) -> [Int] {
    take(state.setLimits(limits), model.setLimits(limits))
  }

  private mutating func take(_ started: [SchedulerState<Int>.Start], _ expected: [Int]) -> [Int] {
    let numbers = started.map(\.payload)
    #expect(numbers == expected)
    for start in started {
      // A request that was started twice, or after it had left, no longer has a ticket.
      let ticket = tickets.removeValue(forKey: start.payload)
      #expect(ticket != nil)
      if let ticket { #expect(state.leave(ticket) == nil) }
      slots[start.payload] = start.slot
    }
    check()
    return numbers
  }

  private func check() { #expect(isAsItsModel) }

  private var isAsItsModel: Bool {
    slots.count == model.running.count && model.running.keys.allSatisfy { slots[$0] != nil }
      && tickets.count == model.waiting.count && model.waiting.allSatisfy { tickets[$0.number] != nil }
      && state.load.running == slots.count && state.load.waiting == tickets.count
      && Priority.allCases.allSatisfy { priority in
        state.load.waiting(priority) == model.waiting.count { $0.priority == priority }
      }
  }
}
