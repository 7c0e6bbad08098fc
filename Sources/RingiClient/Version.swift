internal import RingiModel

/// The version of this program, which is the version of the package.
let version = RingiModel.Version.current
