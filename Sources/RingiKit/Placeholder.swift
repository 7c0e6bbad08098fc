// RingiKit
