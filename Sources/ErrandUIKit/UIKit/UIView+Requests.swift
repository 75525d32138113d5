#if canImport(UIKit) && !os(watchOS)
  public import ErrandCore
  public import UIKit

  extension UIView {
    /// The requests that end with this view, or with the controller that contains it. A view that is moved
    /// takes its requests to the other controller. Read this property each time, because a view that outlived
    /// its controller gets a new scope in the next one.
    public var requests: RequestScope { ownRequests }

    /// Returns the requests of a reused view for the item that it shows now. Requests for earlier items end.
    ///
    /// ```swift
    /// let registration = UICollectionView.CellRegistration<PhotoCell, Photo> { cell, _, photo in
    ///   cell.requests(for: photo.id).task { [weak cell] in
    ///     let response = try await client.send(.get(photo.url))
    ///     cell?.show(response.data)
    ///   }
    /// }
    /// ```
    /// - Parameter use: An identifier of the item.
    public func requests(for use: some Hashable & Sendable) -> RequestScope {
      ScopeHolder.of(self).beginUse(AnyHashable(ExactBytes.key(use)))
      return ownRequests
    }

    /// Ends the requests for the item that the view shows. Call it in `prepareForReuse`.
    public func endRequestsForReuse() { scopeHolder?.endUse() }
  }

  extension UIView: ScopeOwner {
    var scopeName: String { "\(type(of: self))" }

    var scopeHolder: ScopeHolder? {
      get { objc_getAssociatedObject(self, &holderKey) as? ScopeHolder }
      set { objc_setAssociatedObject(self, &holderKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC) }
    }

    /// The first controller among its responders.
    var scopeContainer: (any ScopeOwner)? {
      var responder = next
      while let present = responder {
        if let controller = present as? UIViewController { return controller }
        responder = present.next
      }
      return nil
    }

    var isInWindow: Bool { window != nil }

    var endsWhenDetached: Bool { false }

    var pages: [any ScopeOwner] { [] }

    var scopesInside: [any ScopeOwner] { [] }

    func watchWindow() {}
  }

  @MainActor private var holderKey: UInt8 = 0
#endif
