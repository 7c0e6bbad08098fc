// A server that does nothing but hand each line of its client to a plugin over a pipe, and each answer back: the floor
// of a call through a program. One client at a time.
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/un.h>

#include "child.h"

static int epoll;

static void watch(int descriptor) {
  struct epoll_event interest = {EPOLLIN, {.fd = descriptor}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &interest);
}

static int listen_at(int count, char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  for (int i = 1; i + 1 < count; i += 2)
    if (strcmp(arguments[i], "--socket") == 0) strncpy(address.sun_path, arguments[i + 1], sizeof address.sun_path - 1);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (!address.sun_path[0] || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 16)) {
    fprintf(stderr, "usage: relay [--config DIR] [--state DIR] --socket PATH\n");
    exit(64);
  }
  return listener;
}

/// Carries one client's lines until it leaves.
static void serve(int client, struct child child) {
  struct buffer in = {0}, out = {0};
  struct epoll_event ready[2];
  watch(client);
  for (bool is_open = true; is_open;) {
    int count = epoll_wait(epoll, ready, 2, -1);
    for (int i = 0; i < count; i++) {
      if (ready[i].data.fd == client) {
        is_open = buffer_receive(&in, client) && is_open;
        // What doesn't fit in the pipe goes on when the plugin has read, which it does before it answers.
        while (buffer_length(&in) > 0 && buffer_write(&in, child.input)) {}
      } else {
        if (!buffer_read(&out, child.output)) exit(2);
        if (!buffer_send(&out, client)) is_open = false;
      }
    }
    while (is_open && buffer_length(&out) > 0) is_open = buffer_send(&out, client);
  }
  close(client);
  free(in.bytes);
  free(out.bytes);
}

int main(int count, char **arguments) {
  int listener = listen_at(count, arguments);
  signal(SIGPIPE, SIG_IGN);
  struct child child = start_child(arguments[0]);
  epoll = epoll_create1(EPOLL_CLOEXEC);
  watch(child.output);
  for (;;) serve(accept(listener, NULL, NULL), child);
}
