#if os(Linux)
  /// A defect of either kind of world, with the invariant that must find it.
  public struct KnownDefect: Sendable {
    public let name: String
    /// The name of the invariant that must find the defect.
    public let invariant: String
    /// The number of worlds, at least one of which must show the defect.
    public let seeds: UInt64
    /// Runs the world of a seed with this defect.
    let report: @Sendable (UInt64) -> WorldReport

    /// True if the invariant finds the defect. Others may find it, too, because a defect often has several
    /// effects.
    public var isFound: Bool {
      (1...seeds).contains { seed in report(seed).violations.contains { $0.invariant == invariant } }
    }
  }

  extension WorldKind {
    /// The names of all invariants that are checked.
    public var invariants: Set<String> {
      switch self {
      case .client: Set(WorldReport.invariants)
      case .outbox: Set(WorldReport.outboxInvariants)
      }
    }

    public var defects: [KnownDefect] {
      switch self {
      case .client:
        Defect.allCases.map { defect in
          KnownDefect(name: "\(defect)", invariant: defect.invariant, seeds: 500) {
            WorldReport.world($0, defect: defect)
          }
        }
      case .outbox:
        OutboxDefect.allCases.map { defect in
          KnownDefect(name: "\(defect)", invariant: defect.invariant, seeds: 200) {
            WorldReport.outbox($0, defect: defect)
          }
        }
      }
    }
  }
#endif
