/* Loaded before the C library (LD_PRELOAD), it makes a disk slow: each fsync and fdatasync first sleeps SLOW_DISK_MS
   milliseconds, and adds one byte to the file SLOW_DISK_CALLS, if set. It also makes the disk full: while the file
   SLOW_DISK_FULL exists, each pwrite fails with ENOSPC. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void sleep_and_count(void) {
  const char *wait = getenv("SLOW_DISK_MS");
  long ms = wait == NULL ? 0 : atol(wait);
  struct timespec duration = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&duration, NULL);
  const char *calls = getenv("SLOW_DISK_CALLS");
  if (calls == NULL) return;
  int file = open(calls, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (write(file, ".", 1) < 0) abort();
  close(file);
}

int fsync(int file) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  sleep_and_count();
  return next(file);
}

int fdatasync(int file) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  sleep_and_count();
  return next(file);
}

static int is_full(void) {
  const char *full = getenv("SLOW_DISK_FULL");
  if (full == NULL || access(full, F_OK) != 0) return 0;
  errno = ENOSPC;
  return 1;
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
  ssize_t (*next)(int, const void *, size_t, off_t) =
      (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  return is_full() ? -1 : next(file, bytes, length, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
  ssize_t (*next)(int, const void *, size_t, off64_t) =
      (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  return is_full() ? -1 : next(file, bytes, length, offset);
}
