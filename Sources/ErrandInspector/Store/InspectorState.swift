import ErrandCore

/// The JSON for the page's client.
struct InspectorState: Encodable {
  var client: SlotRows?
  /// The current time in milliseconds on the client's timeline, which gives the duration of running calls.
  var now: Double?
}

/// The JSON that tells the page which views it has.
struct InspectorParts: Encodable {
  /// The program, or the place of the outbox.
  let name: String
  let client: Bool
  let outbox: Bool
}

/// A call in a saved copy of the page.
struct InspectorExport: Encodable {
  let row: CallRow
  let details: CallDetails
}
