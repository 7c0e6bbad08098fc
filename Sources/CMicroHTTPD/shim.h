// Swift cannot call variadic C functions: libmicrohttpd's start and info calls get one typed inline each.
#pragma once
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Everything a server is started with; `certificate` and `key` are PEM texts, both or neither.
///
/// With `runs_outside` it has no thread: whoever watches its epoll descriptor calls MHD_run. Without, each connection has
/// one.
struct ringi_mhd_settings {
  uint16_t port;
  bool runs_outside;
  unsigned int connection_limit;
  const char *certificate;
  const char *key;
  void *context;
  MHD_AccessHandlerCallback on_part;
  void *(*on_request_line)(void *, const char *, struct MHD_Connection *);
  MHD_RequestCompletedCallback on_completed;
};

/// MHD_start_daemon, variadic: 127.0.0.1, no Date header of its own.
static inline struct MHD_Daemon *ringi_mhd_start(const struct ringi_mhd_settings *settings) {
  struct sockaddr_in address = {0};
  address.sin_family = AF_INET;
  address.sin_port = htons(settings->port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  unsigned int threads =
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ITC;
  unsigned int flags = (settings->runs_outside ? MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME : threads) |
                       MHD_USE_SUPPRESS_DATE_NO_CLOCK;
  struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
                                 {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
                                 {MHD_OPTION_END, 0, NULL}};
  // Seconds of silence, and bytes for the head of a request.
  struct MHD_OptionItem outside[] = {{MHD_OPTION_CONNECTION_TIMEOUT, 60, NULL},
                                     {MHD_OPTION_CONNECTION_MEMORY_LIMIT, 64 << 10, NULL},
                                     {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
  if (settings->certificate) flags |= MHD_USE_TLS;
  return MHD_start_daemon(flags, settings->port, NULL, NULL, settings->on_part, settings->context,
                          MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                          MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
                          MHD_OPTION_URI_LOG_CALLBACK, settings->on_request_line, settings->context,
                          MHD_OPTION_NOTIFY_COMPLETED, settings->on_completed, settings->context,
                          MHD_OPTION_ARRAY, settings->certificate ? tls : settings->runs_outside ? outside : none,
                          MHD_OPTION_END);
}

/// MHD_get_daemon_info, variadic; 0 when the port is not known.
static inline uint16_t ringi_mhd_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

/// MHD_get_daemon_info, variadic: what tells by being readable that MHD_run has work; -1 when there is none.
static inline int ringi_mhd_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/// MHD_get_daemon_info, variadic: how many connections there are.
static inline unsigned int ringi_mhd_connections(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info ? info->num_connections : 0;
}

/// MHD_get_connection_info, variadic; -1 when the socket is not known.
static inline int ringi_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// MHD_CONTENT_READER_END_WITH_ERROR, a macro with a cast: closes the connection in the middle of a body.
static inline ssize_t ringi_mhd_broken_off(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
