// One import is enough for a provider's author.
@_exported public import EventLoop
@_exported public import HTTP
@_exported public import JSON
@_exported public import JSONRPC
@_exported public import RingiModel
@_exported public import Timing
