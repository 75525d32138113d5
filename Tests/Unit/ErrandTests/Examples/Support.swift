import Errand
import Foundation

// The names that the text of the documentation's examples takes for granted.

struct User: Decodable {}
struct Like: Encodable { var id: Int }
struct Message: Codable { var text = "" }

private func example(_ path: String) -> URL { URL(string: "https://api.example.com/\(path)")! }

let feedURL = example("feed")
let hookURL = example("hook")
let inboxURL = example("inbox")
let likeURL = example("like")
let loginURL = example("login")
let messageURL = example("message")
let photoURL = example("photo")
let pricesURL = example("prices")
let profileURL = example("profile")
let searchURL = example("search")
let tokenURL = example("token")
