import CUnistring
import Glibc

/// Returns `text` in Unicode normalization form KC (UAX #15): full-width letters become ordinary ones, half-width
/// kana full-width ones, and a letter with a combining mark the composed letter.
package func normalized(_ text: String) -> String {
  transformed(text, by: ringi_nfkc)
}

/// Returns `text` in form KC with the differences of case taken away (Unicode 3.13, full case folding).
package func caseFolded(_ text: String) -> String {
  // Folding may undo composition, and composing may bring back a letter that folds: the second round settles both.
  transformed(transformed(normalized(text), by: ringi_casefold_nfkc), by: ringi_casefold_nfkc)
}

private typealias Transform = (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<UInt8>?

/// Runs one of libunistring's functions, which answer with memory of their own; every answer is checked here.
private func transformed(_ text: String, by transform: Transform) -> String {
  var text = text
  return text.withUTF8 { bytes in
    guard !bytes.isEmpty else { return "" }
    var count = 0
    guard let result = transform(bytes.baseAddress, bytes.count, &count) else {
      // A String is valid UTF-8, so what remains is ENOMEM, where Swift's own allocations end the process too.
      preconditionFailure("libunistring failed with error \(errno)")
    }
    defer { free(result) }
    return String(decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
  }
}
