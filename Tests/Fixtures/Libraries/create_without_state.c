// Makes an instance of the library whose source is PLUGIN, while what it keeps can't be read.

#include PLUGIN

static json_t *state_get(const ringi_host *host, const char *key, json_t **error) {
  if (error) *error = json_pack("{s:s}", "message", "the disk is full");
  return NULL;
}

static void note(const ringi_host *host, const char *level, const char *message) {}

int main(void) {
  const ringi_host host = {.abi = RINGI_PLUGIN_ABI, .instance = "p", .log = note, .state_get = state_get};
  json_t *settings = json_object();
  char error[200] = "";
  void *plugin = ringi_plugin_create(&host, settings, error, sizeof error);
  printf("%s: %s\n", plugin ? "an instance" : "NULL", error);
  json_decref(settings);
  return 0;
}
