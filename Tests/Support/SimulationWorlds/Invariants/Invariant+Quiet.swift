extension Invariant {
  static let quiet = Invariant(name: "nothing is left when all is quiet") { evidence in
    let rest = evidence.rest
    var found: [String] = []
    if rest.held > 0 { found.append("\(rest.held) requests or keys are still referenced") }
    if rest.lostSlots > 0 { found.append("\(rest.lostSlots) slots are lost") }
    if rest.sleepers > 0 { found.append("\(rest.sleepers) tasks sleep") }
    if rest.inFlight > 0 { found.append("\(rest.inFlight) attempts are in flight") }
    if rest.inScopes > 0 { found.append("\(rest.inScopes) requests are in scopes") }
    if rest.shown > 0 { found.append("\(rest.shown) requests are shown") }
    return found
  }
}
