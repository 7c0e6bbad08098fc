/// The version of the package and of all its programs.
package enum Version {
  package static let current = "0.1.0"
}
