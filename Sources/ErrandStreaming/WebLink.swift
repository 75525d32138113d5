public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A link of a response's `Link` field (RFC 8288), such as `<https://example.com/items?page=2>; rel="next"`.
public struct WebLink: Sendable, Hashable {
  /// The target as the server wrote it.
  public let target: String
  /// The target, resolved against the response's URL; nil if it is not a valid URL. Its scheme may be any.
  public let url: URL?
  /// The relation types, such as `next`, in lower case. They are those of the first `rel` (section 3.3).
  public let relations: [String]
  /// True if the link is from the response itself. False if `anchor` says that it is from another resource, or from a
  /// part of this one.
  public let isFromResponse: Bool
  private let parameters: [Parameter]

  struct Parameter: Sendable, Hashable {
    /// The name in lower case.
    let name: String
    let value: String
  }

  init(_ target: String, _ parameters: [Parameter], of response: Response) {
    func first(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
    self.target = target
    self.parameters = parameters
    url = response.resolving(target)
    relations = (first("rel") ?? "").split(separator: " ").map { ASCII.lowercased(String($0)) }
    isFromResponse = first("anchor").map { response.resolving($0) == response.resolving("") } ?? true
  }

  /// The value of a target attribute, such as `type` or `hreflang`; the first if there are several, nil if there is none.
  /// Names are compared without regard to case.
  public subscript(attribute: String) -> String? {
    let name = ASCII.lowercased(attribute)
    return parameters.first { $0.name == name }?.value
  }

  /// The title: `title*` (RFC 8187, in UTF-8) if the link has a valid one, otherwise `title`; nil without both.
  public var title: String? { self["title*"].flatMap(ExtendedValue.text) ?? self["title"] }
}

extension WebLink: CustomStringConvertible, CustomReflectable {
  /// The target, without its secrets, and the relation types.
  public var description: String {
    LogText.line("<\(Secrets.standard.redactAnything(target))>; rel=\"\(relations.joined(separator: " "))\"")
  }
  /// A mirror that shows only the description.
  public var customMirror: Mirror { Mirror(self, children: ["link": description]) }
}

extension Response {
  /// The links of the response's `Link` fields (RFC 8288), in order; at most 1000. A field is read up to its first
  /// mistake. It is read at each access.
  ///
  /// ```swift
  /// let next = response.link("next")?.url
  /// ```
  public var links: [WebLink] {
    var links: [WebLink] = []
    for line in fields.values(of: "Link") {
      var parser = WebLinkParser(line)
      while links.count < WebLinkParser.mostLinks, let (target, parameters) = parser.next() {
        links.append(WebLink(target, parameters, of: self))
      }
    }
    return links
  }

  /// Returns the first link from the response itself with this relation type; nil if there is none.
  /// - Parameter relation: The relation type, such as `next` or `https://example.com/rels/parent`. Case does not matter.
  public func link(_ relation: String) -> WebLink? {
    let relation = ASCII.lowercased(relation)
    return links.first { $0.isFromResponse && $0.relations.contains(relation) }
  }
}
