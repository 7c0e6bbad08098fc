internal import Glibc

/// Line breaks, which JSON takes between its tokens, and none of them inside a string.
enum LineBreaks {
  static func areIn(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    return memchr(start, 0x0A, bytes.count) != nil || memchr(start, 0x0D, bytes.count) != nil
  }
}
