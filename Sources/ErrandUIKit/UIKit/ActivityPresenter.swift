#if canImport(UIKit) && !os(watchOS)
  public import ErrandCore
  public import UIKit

  /// Draws an activity over a view: a spinner, its text, and a bar when the progress is known. While the
  /// activity blocks input, the overlay takes touches, from the beginning of the request, even before
  /// anything is shown. VoiceOver reads the text when it appears and when it changes. With Reduce Motion,
  /// nothing fades.
  ///
  /// ```swift
  /// lazy var presenter = ActivityPresenter(activity, over: view)
  /// ```
  ///
  /// Keep the presenter for as long as it should draw. It retains neither the view nor the activity. The
  /// view's own gesture recognizers and the scrolling of a scroll view are not blocked, so draw over the
  /// view's superview if necessary.
  @MainActor public final class ActivityPresenter {
    /// The view that is drawn over the other. Change its colours and fonts here.
    public let overlay: ActivityOverlay
    private let announcement: String
    private var drawing = ActivityDrawing()
    private var following: Task<Void, Never>?

    /// Makes a presenter, which draws until it is released.
    /// - Parameters:
    ///   - activity: The activity to draw.
    ///   - view: The view to cover with the overlay.
    ///   - announcement: The text that VoiceOver reads for an activity without a text. Default: "Loading".
    public init(_ activity: RequestActivity, over view: UIView, announcement: String = "Loading") {
      self.announcement = announcement
      overlay = ActivityOverlay(frame: view.bounds)
      overlay.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      view.addSubview(overlay)
      following = Task { [weak self, updates = activity.updates] in
        for await snapshot in updates { self?.draw(snapshot) }
        self?.draw(RequestActivity.Snapshot())
      }
    }

    deinit {
      following?.cancel()
      Task { @MainActor [overlay] in overlay.removeFromSuperview() }
    }

    private func draw(_ snapshot: RequestActivity.Snapshot) {
      let effects = drawing.draw(
        snapshot, reducesMotion: UIAccessibility.isReduceMotionEnabled, announcing: announcement)
      for effect in effects { overlay.apply(effect) }
    }
  }

  /// The view that `ActivityPresenter` draws.
  public final class ActivityOverlay: UIView {
    /// The spinner, which turns while the activity is shown.
    public let spinner = UIActivityIndicatorView(style: .large)
    /// The label of the activity's text. It is hidden without a text.
    public let label = UILabel()
    /// The bar of the progress. It is hidden while the progress is unknown.
    public let bar = UIProgressView(progressViewStyle: .default)
    /// The view of the parts, which fades. The overlay does not fade, because UIKit sends no touches to a
    /// transparent view, and the overlay has to take touches before anything is shown.
    public let content = UIView()

    override init(frame: CGRect) {
      super.init(frame: frame)
      isUserInteractionEnabled = false
      content.alpha = 0
      label.textAlignment = .center
      label.isHidden = true
      bar.isHidden = true
      for part in [spinner, label, bar] as [UIView] { content.addSubview(part) }
      addSubview(content)
    }

    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }

    public override func layoutSubviews() {
      super.layoutSubviews()
      content.frame = bounds
      let (width, middle) = (bounds.width, bounds.height / 2)
      spinner.frame = CGRect(x: 0, y: middle - 40, width: width, height: 40)
      label.frame = CGRect(x: 16, y: middle + 8, width: max(0, width - 32), height: 24)
      bar.frame = CGRect(x: width / 4, y: middle + 40, width: width / 2, height: 4)
    }

    func apply(_ effect: ActivityDrawing.Effect) {
      switch effect {
      case .block(let blocks):
        isUserInteractionEnabled = blocks
        accessibilityViewIsModal = blocks
        if blocks { superview?.bringSubviewToFront(self) }
      case .text(let text):
        label.text = text
        label.isHidden = text == nil
      case .progress(let fraction):
        bar.isHidden = fraction == nil
        bar.setProgress(Float(fraction ?? 0), animated: false)
      case .show(let animated):
        superview?.bringSubviewToFront(self)
        spinner.startAnimating()
        fade(to: 1, animated: animated)
      case .hide(let animated):
        spinner.stopAnimating()
        fade(to: 0, animated: animated)
      case .announce(let words):
        UIAccessibility.post(notification: .announcement, argument: words)
      }
    }

    private func fade(to alpha: CGFloat, animated: Bool) {
      guard animated else {
        content.alpha = alpha
        return
      }
      UIView.animate(withDuration: 0.2) { self.content.alpha = alpha }
    }
  }
#endif
