import ErrandCore

extension RequestOptions {
  /// The names of all stored properties, including those of nested structures: `validator.statuses`.
  ///
  /// Rarely used options are in an object that other requests do not have: set one of them first.
  public var names: [String] { Self.names(of: self, "") }

  private static func names(of value: Any, _ prefix: String) -> [String] {
    Mirror(reflecting: value).children.flatMap { child -> [String] in
      guard let label = child.label else { return [] }
      switch label {
      case "stages":
        // An optional box with one property, the values.
        guard let box = Mirror(reflecting: child.value).children.first,
          let values = Mirror(reflecting: box.value).children.first
        else { return [] }
        return names(of: values.value, "stages.")
      case "ownValidator": return names(of: ResponseValidator(), "validator.")
      case "signing": return names(of: child.value, "\(prefix)\(label).")
      default: return [prefix + label]
      }
    }
  }
}
