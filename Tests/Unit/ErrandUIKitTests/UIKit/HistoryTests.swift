#if canImport(UIKit)
  import ErrandCore
  import ErrandTesting
  import ErrandUIKit
  import Testing
  import UIKit

  extension UIKitTests {
    /// Tabs with stacks, and sheets with stacks on top of each other. For any random events, a page's
    /// requests end when it has left the screen's hierarchy, and not before.
    @MainActor @Suite struct HistoryTests {
      /// The expected state: the stack of each tab, and of each sheet.
      private struct Model: Equatable {
        var tabs: [[Page]] = [[], []]
        var sheets: [[Page]] = []
        var selected = 0

        var pages: [Page] { (tabs + sheets).flatMap { $0 } }

        /// The visible stack.
        var top: [Page] {
          get { sheets.last ?? tabs[selected] }
          set { if sheets.isEmpty { tabs[selected] = newValue } else { sheets[sheets.count - 1] = newValue } }
        }
      }

      @MainActor private final class World {
        let window = UIWindow()
        let bar = UITabBarController()
        let stacks = [UINavigationController(), UINavigationController()]
        var sheets: [UINavigationController] = []
        var model = Model()
        var isFollowed: Bool
        var made = 0

        init(isFollowed: Bool) {
          self.isFollowed = isFollowed
          for (index, stack) in stacks.enumerated() {
            let root = page()
            stack.viewControllers = [root]
            model.tabs[index] = [root]
            if isFollowed { NavigationScopes(stack) }
          }
          bar.viewControllers = stacks
          window.rootViewController = bar
          bar.selectedIndex = 0
        }

        var top: UINavigationController { sheets.last ?? stacks[model.selected] }

        func page() -> Page {
          made += 1
          return Page("\(made)")
        }

        /// Performs a random action. Returns whether it may be cancelled.
        func step(_ random: inout SeededRandom) -> Bool {
          let isAnimated = Bool.random(using: &random)
          switch Int.random(in: 0..<11, using: &random) {
          case 0...2:
            let new = page()
            model.top.append(new)
            top.pushViewController(new, animated: isAnimated)
          case 3:
            guard model.top.count > 1 else { return false }
            model.top.removeLast()
            top.popViewController(animated: isAnimated)
          case 4:
            model.top = Array(model.top.prefix(1))
            top.popToRootViewController(animated: isAnimated)
          case 5:
            let place = Int.random(in: 0..<model.top.count, using: &random)
            model.top = Array(model.top[...place])
            top.popToViewController(model.top[place], animated: isAnimated)
          case 6:
            model.top = model.top.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
            // Two pages that are never on top until others are popped.
            model.top += [page(), page(), page()]
            top.setViewControllers(model.top, animated: isAnimated)
          case 7:
            guard sheets.count < 3 else { return false }
            let root = page()
            let sheet = UINavigationController(rootViewController: root)
            if isFollowed { NavigationScopes(sheet) }
            let presenting = top
            sheets.append(sheet)
            model.sheets.append([root])
            presenting.present(sheet, animated: isAnimated)
            Movements.end()
            return false
          case 8:
            guard let sheet = sheets.popLast() else { return false }
            model.sheets.removeLast()
            sheet.dismiss(animated: isAnimated)
          case 9:
            // The tabs dismiss everything above them.
            guard !sheets.isEmpty else { return false }
            (sheets, model.sheets) = ([], [])
            bar.dismiss(animated: isAnimated)
          default:
            model.selected = 1 - model.selected
            bar.selectedIndex = model.selected
            return false
          }
          return Movements.isMoving
        }
      }

      @Test(arguments: 1...100)
      func `a page's requests end when it has left, and not before, in every history`(seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        let world = World(isFollowed: seed.isMultiple(of: 2))
        var all: [(page: Page, requests: RequestScope)] = []
        for step in 0..<25 {
          for page in world.model.pages where !all.contains(where: { $0.page === page }) {
            all.append((page, page.requests))
          }
          let (before, sheets) = (world.model, world.sheets)
          let mayBeGivenUp = world.step(&random)
          if mayBeGivenUp {
            for (page, requests) in all where before.pages.contains(page) {
              #expect(!requests.isCancelled, "\(page.title ?? "") in step \(step), before its end")
            }
          }
          let isGivenUp = mayBeGivenUp && Int.random(in: 0..<3, using: &random) == 0
          Movements.end(givingUp: isGivenUp)
          if isGivenUp { (world.model, world.sheets) = (before, sheets) }
          await Screen.settle()
          let present = world.model.pages
          for (page, requests) in all {
            #expect(requests.isCancelled == !present.contains(page), "\(page.title ?? "") in step \(step)")
          }
          all.removeAll { !present.contains($0.page) }
        }
        let last = all
        world.window.rootViewController = Page("signed out")
        world.bar.dismiss(animated: false)
        await Screen.settle()
        #expect(last.allSatisfy { $0.requests.isCancelled })
      }
    }
  }
#endif
