internal import HTTPServer

/// A refusal, in the forms that the service has for it.
enum CuramError: Error {
  /// Nobody is logged in; how that is said is a switch.
  case loggedOut
  /// With the product's own code.
  case referer, token
  /// With a code that is made up.
  case rights, badRequest, notFound
  /// An HTML page of the application server.
  case page(Int, String)
}

/// A message in the languages that the sandbox speaks.
struct CuramMessage {
  /// The product's for Referer and token; the others are made up, since nothing public tells them.
  let code: Int
  let english: String
  let french: String
  let japanese: String

  static let referer = CuramMessage(
    code: -150_210, english: "The Referer is not allowed.", french: "Le Referer n'est pas autorisé.",
    japanese: "Referer は許可されていません。")
  static let token = CuramMessage(
    code: -150_220, english: "The CSRF token is not valid.", french: "Le jeton CSRF n'est pas valide.",
    japanese: "CSRF トークンが無効です。")
  static let rights = CuramMessage(
    code: -150_300, english: "You do not have the rights for this.", french: "Vous n'avez pas les droits requis.",
    japanese: "この操作の権限がありません。")
  static let badRequest = CuramMessage(
    code: -150_400, english: "The request is not valid.", french: "La demande n'est pas valide.",
    japanese: "要求が無効です。")
  static let notFound = CuramMessage(
    code: -150_404, english: "The record does not exist.", french: "L'enregistrement n'existe pas.",
    japanese: "レコードが存在しません。")
  static let unexpected = CuramMessage(
    code: -150_500, english: "An error has occurred.", french: "Une erreur s'est produite.",
    japanese: "エラーが発生しました。")

  func text(_ language: String?) -> String {
    switch language?.prefix(2).lowercased() {
    case "fr": french
    case "ja": japanese
    default: english
    }
  }
}
