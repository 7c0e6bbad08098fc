// RingiModel
