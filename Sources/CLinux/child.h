// Starts a program with its limits already in force, which posix_spawn(3) can't.
//
// The child is made as posix_spawn makes it: it borrows the parent's memory, with a stack of its own, and the calling
// thread waits until it runs the program or ends. So it allocates nothing and calls nothing but the system.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct ringi_child {
  // Where the program may be; the first that can be run is. Like the texts below, with a null pointer at the end.
  char *const *paths;
  char *const *arguments;
  char *const *environment;
  // The working directory, or a null pointer for the parent's.
  const char *directory;
  // What becomes of the standard three, above them; -1 for /dev/null.
  int streams[3];
  // Bytes of address space, seconds of a processor and open descriptors; 0 for no limit.
  unsigned long memory, cpu, files;
  // What failed, and why; null and 0 when the program runs.
  const char *call;
  int error;
};

static inline int ringi_child_limit(int resource, unsigned long value) {
  struct rlimit limit = {value, value};
  return value == 0 ? 0 : setrlimit((enum __rlimit_resource)resource, &limit);
}

// Descriptors of the agent's own are close-on-exec; those of libraries may not be.
static inline void ringi_child_close(void) {
  if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return;
  struct rlimit limit = {0};
  getrlimit(RLIMIT_NOFILE, &limit);
  int end = limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
  for (int descriptor = 3; descriptor < end; descriptor++) close(descriptor);
}

// Connects one of the standard three.
static inline int ringi_child_connect(int number, int stream) {
  if (stream >= 0) return dup2(stream, number);
  int null = open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY);
  if (null < 0 || null == number) return null;
  int result = dup2(null, number);
  close(null);
  return result;
}

// As execvp(3) goes through PATH, but without handing files of an unknown kind to a shell. Returns only with errno set.
static inline void ringi_child_run(const struct ringi_child *child) {
  int refused = 0;
  for (char *const *path = child->paths; *path; path++) {
    execve(*path, child->arguments, child->environment);
    if (errno == EACCES) refused = 1;
    else if (errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ENODEV && errno != ETIMEDOUT) return;
  }
  if (refused) errno = EACCES;
}

static inline int ringi_child_main(void *argument) {
  struct ringi_child *child = (struct ringi_child *)argument;
  // Nothing of the parent's may run in here, and what it ignores would stay ignored.
  struct sigaction standard = {0};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number <= 64; number++) sigaction(number, &standard, 0);
  sigset_t none;
  sigemptyset(&none);

  const char *call = "setpgid";
  int failed = setpgid(0, 0) != 0;
  for (int number = 0; !failed && number < 3; number++) {
    call = "dup2";
    failed = ringi_child_connect(number, child->streams[number]) < 0;
  }
  if (!failed) ringi_child_close();
  if (!failed && child->directory) {
    call = "chdir";
    failed = chdir(child->directory) != 0;
  }
  if (!failed) {
    call = "setrlimit";
    failed = ringi_child_limit(RLIMIT_AS, child->memory) != 0 || ringi_child_limit(RLIMIT_CPU, child->cpu) != 0
        || ringi_child_limit(RLIMIT_NOFILE, child->files) != 0;
  }
  if (!failed) {
    call = "execve";
    sigprocmask(SIG_SETMASK, &none, 0);
    ringi_child_run(child);
  }
  child->error = errno;
  child->call = call;
  _exit(127);
}

// clone(2) by glibc's other name: by the usual one sanitizers take it for fork(2), with a memory of the child's own.
int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...);

// Starts a program that leads a process group of its own, with all signals at their defaults.
// Returns its number, or -1 with call and error set; nothing is left of it then.
static inline pid_t ringi_child_start(struct ringi_child *child) {
  _Alignas(16) char stack[32 << 10];
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  child->call = 0;
  child->error = 0;
  // CLONE_VM and CLONE_VFORK, which the headers have for GNU sources alone.
  pid_t process = __clone(ringi_child_main, stack + sizeof stack, 0x100 | 0x4000 | SIGCHLD, child);
  if (process < 0) {
    child->error = errno;
    child->call = "clone";
  } else if (child->call) {
    while (waitpid(process, 0, 0) < 0 && errno == EINTR) {}
    process = -1;
  }
  sigprocmask(SIG_SETMASK, &old, 0);
  return process;
}
