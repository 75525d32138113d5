import Errand
import ErrandTesting
import ErrandUIKit
import Foundation
import TestSupport
import Testing
import UIKit

@testable import ExampleFeedApp

/// The app in Examples/Apps/Feed, on a model of UIKit and real sockets.
@MainActor @Suite(.serialized, .oneScreen) struct FeedTests {
  private let server: MockServer
  private let feed: Feed
  private let window = UIWindow()
  private let scene = SceneDelegate()

  init() throws {
    server = try MockServer()
    feed = Feed(server.url)
    let url = server.url("/avatar")
    server.on("GET", "/posts") { request in
      let query = request.target.contains("q=") ? String(request.target.split(separator: "=")[1]) : nil
      if query == "slow" { return .stall }
      return .response(body: Self.posts([query ?? "first", "second"], url))
    }
    server.on("/posts/0/comments") { _ in .response(body: #"[{"text": "a comment"}]"#) }
    server.on("/avatar") { _ in .response(body: "picture") }
    scene.show(feed, in: window)
  }

  private nonisolated static func posts(_ titles: [String], _ avatar: URL) -> String {
    let posts = titles.enumerated().map { Post(id: $0, title: $1, author: $1, avatar: avatar) }
    return (try? JSONEncoder().encode(posts)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private var navigation: UINavigationController? { window.rootViewController as? UINavigationController }
  private var list: FeedViewController? { navigation?.viewControllers.first as? FeedViewController }

  private func rows(_ controller: UITableViewController?) -> [UIListContentConfiguration] {
    controller?.tableView.visibleCells.compactMap { $0.contentConfiguration as? UIListContentConfiguration }
      ?? []
  }

  /// Waits until the condition holds, 20 s at most.
  private func wait(until condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      if condition() { return true }
      await Task.yield()
    }
    return false
  }

  @Test func `the posts are shown with their pictures, and loaded again when the list is pulled`() async {
    #expect(await wait { rows(list).map(\.text) == ["first", "second"] })
    #expect(await wait { rows(list).allSatisfy { $0.image != nil } })
    list?.refreshControl?.beginRefreshing()
    list?.refreshControl?.sendActions(for: .valueChanged)
    #expect(await wait { list?.refreshControl?.isRefreshing == false })
    // The pull was within 3 s of the first load.
    #expect(server.count("/posts") == 1)
  }

  @Test func `the newest search wins`() async throws {
    #expect(await wait { rows(list).count == 2 })
    let search = try #require(list?.navigationItem.searchController)
    for text in ["slow", "new"] {
      search.searchBar.text = text
      search.searchResultsUpdater?.updateSearchResults(for: search)
      if text == "slow" { try await server.waitForRequests(2) }
    }
    #expect(await wait { rows(list).first?.text == "new" })
    search.searchBar.text = ""
    search.searchResultsUpdater?.updateSearchResults(for: search)
    #expect(rows(list).first?.text == "first")
    #expect(list?.presentedViewController == nil)
  }

  @Test func `a page cancels its request when it is swiped away, and not when the swipe is cancelled`()
    async throws
  {
    server.on("/posts/1/comments") { _ in .stall }
    #expect(await wait { rows(list).count == 2 })
    list?.tableView.delegate?.tableView(list!.tableView, didSelectRowAt: IndexPath(row: 1, section: 0))
    Movements.end()
    let page = try #require(navigation?.topViewController as? PostViewController)
    page.loadViewIfNeeded()
    try await server.wait(for: "the comments' request") { record in
      record.requests.contains { $0.target == "/posts/1/comments" }
    }
    let requests = page.requests
    navigation?.popViewController(animated: true)
    Movements.end(givingUp: true)
    for _ in 0..<20 { await Task.yield() }
    #expect(!requests.isCancelled && requests.count == 1)
    navigation?.popViewController(animated: true)
    Movements.end()
    #expect(await wait { requests.isCancelled })
    #expect(list?.requests.isCancelled == false)
    #expect(list?.presentedViewController == nil)
  }

  @Test func `comments are shown`() async throws {
    #expect(await wait { rows(list).count == 2 })
    list?.tableView.delegate?.tableView(list!.tableView, didSelectRowAt: IndexPath(row: 0, section: 0))
    Movements.end()
    let page = try #require(navigation?.topViewController as? PostViewController)
    #expect(await wait { rows(page).map(\.text) == ["a comment"] })
  }

  @Test func `a post is published once, and the sheet closes`() async throws {
    server.on("POST", "/posts") { _ in .response(status: 201) }
    let compose = try await compose("hello")
    for _ in 0..<2 { compose.navigationItem.rightBarButtonItem?.tap() }
    #expect(await wait { Movements.isMoving })
    Movements.end()
    #expect(await wait { navigation?.presentedViewController == nil })
    #expect(server.requests.count { $0.method == .post } == 1)
  }

  @Test func `a sheet that is pulled down cancels its publishing request, and shows no error`()
    async throws
  {
    server.on("POST", "/posts") { _ in .stall }
    let compose = try await compose("hello")
    compose.navigationItem.rightBarButtonItem?.tap()
    try await server.wait(for: "the post") { $0.requests.contains { $0.method == .post } }
    let requests = compose.requests
    compose.dismiss(animated: true)
    Movements.end()
    #expect(await wait { requests.isCancelled && requests.count == 0 })
    #expect(navigation?.presentedViewController == nil && !Movements.isMoving)
  }

  @Test func `signing out ends all requests`() async throws {
    let requests = [list?.requests, navigation?.requests]
    #expect(await wait { rows(list).count == 2 })
    scene.signOut(feed)
    #expect(await wait { requests.allSatisfy { $0?.isCancelled == true } })
    #expect(await wait { rows(list).count == 2 })
  }

  private func compose(_ text: String) async throws -> ComposeViewController {
    #expect(await wait { rows(list).count == 2 })
    list?.navigationItem.rightBarButtonItem?.tap()
    Movements.end()
    let sheet = try #require(navigation?.presentedViewController as? UINavigationController)
    let compose = try #require(sheet.topViewController as? ComposeViewController)
    compose.loadViewIfNeeded()
    compose.text.text = text
    return compose
  }
}
