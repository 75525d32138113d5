#if os(Linux)
  /// A defect of either kind of world, and who has to tell of it.
  public struct KnownDefect: Sendable {
    public let name: String
    /// The one that is there for it.
    public let invariant: String
    /// In one of so many worlds it has to show.
    public let seeds: UInt64
    /// Runs the world of a seed with this defect.
    let report: @Sendable (UInt64) -> WorldReport

    /// Whether its invariant tells of it. Others may too: what is wrong with one thing is seldom right with all others.
    public var isFound: Bool {
      (1...seeds).contains { seed in report(seed).violations.contains { $0.invariant == invariant } }
    }
  }

  extension WorldKind {
    /// All that is looked at.
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
