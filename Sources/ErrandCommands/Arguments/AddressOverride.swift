/// The address to use for a host and port.
struct AddressOverride: Sendable, Hashable {
  let host: String
  let port: Int
  let address: String
}
