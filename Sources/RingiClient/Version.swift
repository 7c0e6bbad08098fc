/// The version of this program, which is the version of the package.
let version = "0.1.0"
