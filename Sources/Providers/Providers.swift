package import RingiKit

/// The providers that are compiled in, sorted by name: the one list to add a new one to.
@Loop package let builtinProviders: [any Provider.Type] = [
  Curam.self, REST.self, SAPWorkflow.self, ServiceNow.self, Todoist.self, Wunderlist.self,
]
