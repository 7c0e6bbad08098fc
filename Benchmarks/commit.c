// The least that recording costs: SQLite alone inserting events into the agent's table of them, with a commit that
// returns when the disk has it (WAL, synchronous=FULL).
//
//     commit FILE BYTES BATCH SECONDS      events of BYTES bytes, BATCH of them a transaction, for SECONDS
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *database;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check(int code, int expected) {
  if (code == expected) return;
  fprintf(stderr, "commit: %s\n", sqlite3_errmsg(database));
  exit(2);
}

static void execute(const char *sql) { check(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
  return statement;
}

static void run(sqlite3_stmt *statement) {
  check(sqlite3_step(statement), SQLITE_DONE);
  check(sqlite3_reset(statement), SQLITE_OK);
}

int main(int count, char **arguments) {
  int bytes = count == 5 ? atoi(arguments[2]) : 0, batch = count == 5 ? atoi(arguments[3]) : 0;
  if (bytes < 1 || batch < 1) {
    fprintf(stderr, "usage: commit FILE BYTES BATCH SECONDS\n");
    return 64;
  }
  double limit = atof(arguments[4]);
  check(sqlite3_open(arguments[1], &database), SQLITE_OK);
  execute(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    "CREATE TABLE event (sequence INTEGER PRIMARY KEY, type TEXT NOT NULL, time INTEGER NOT NULL, text BLOB NOT NULL) "
    "STRICT");
  sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
  sqlite3_stmt *insert = prepare("INSERT INTO event (sequence, type, time, text) VALUES (?, 'bench', ?, ?)");
  char *text = malloc((size_t)bytes);
  if (!text) return 2;
  memset(text, 'x', (size_t)bytes);

  double began = seconds(CLOCK_MONOTONIC), cpu_began = seconds(CLOCK_PROCESS_CPUTIME_ID), took;
  sqlite3_int64 sequence = 0;
  do {
    run(begin);
    for (int i = 0; i < batch; i++) {
      sqlite3_bind_int64(insert, 1, ++sequence);
      sqlite3_bind_int64(insert, 2, 1796000000000 + sequence);
      sqlite3_bind_blob(insert, 3, text, bytes, SQLITE_STATIC);
      run(insert);
    }
    run(commit);
    took = seconds(CLOCK_MONOTONIC) - began;
  } while (took < limit);
  double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_began;
  printf("{\"per_second\":%.1f,\"cpu_us\":%.3f}\n", (double)sequence / took, cpu * 1e6 / (double)sequence);
  return 0;
}
