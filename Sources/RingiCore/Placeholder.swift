// RingiCore
