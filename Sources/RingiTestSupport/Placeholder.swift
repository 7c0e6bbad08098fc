// RingiTestSupport
