package import EventLoop
package import JSON
package import RingiKit

/// An instance of a provider that is compiled in.
@Loop
package final class BuiltinPlugin: Plugin {
  package let instance: String
  package let methods: [Method]
  package let source: (any TaskSource)?
  package let watch: (any Watch)?
  package let login: (any BrowserLogin)?
  /// What to do in place of a login with a browser.
  let credentials: String?
  package let checkup: (any Checkup)?
  private let implementation: any Provider

  package var provider: String { type(of: implementation).name }

  /// Makes the provider and asks what it offers.
  ///
  /// - Parameters:
  ///   - type: The provider.
  ///   - settings: Settings that fit its schema.
  ///   - context: What the agent lends to the instance.
  /// - Throws: `SettingsError`.
  package init(_ type: any Provider.Type, settings: JSONValue, context: ProviderContext) throws {
    implementation = try type.init(settings: settings, context: context)
    instance = context.instance
    var registrar = Registrar(instance: context.instance)
    implementation.register(on: &registrar)
    methods = registrar.methods
    source = registrar.source
    watch = registrar.watch
    login = registrar.login
    credentials = registrar.credentials
    checkup = registrar.checkup
  }

  package func stop(isHurried: Bool) async { await implementation.stop() }
}
