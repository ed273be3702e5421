#ifndef NPUPROF_RECORD_H_
#define NPUPROF_RECORD_H_

/* Records what a program does into a directory that `npuprof parse` reads. Link with libnpuprof.
 *
 *     npuprof_session* session = npuprof_session_open("results", NULL, NULL);
 *     npuprof_session_start(session);
 *     npuprof_range_push("load");
 *     ...
 *     npuprof_range_pop();
 *     npuprof_session_stop(session, NULL);
 *     npuprof_session_finalize(session, NULL);
 *
 * Nothing here ever stops the program: a function that cannot do its work says so by what it
 * returns, and a session prints at most one warning to standard error. All functions may be called
 * from any thread, at any time, recording or not. Each accepts a null session. Ranges, marks,
 * counters, memory and markers may also come from signal handlers: what a handler records while it
 * interrupts the recorder itself is left out and counted. Names, domains and sessions may not.
 *
 * An event costs a time stamp and a few stores into memory of its own thread; only the first event
 * of a thread allocates. If the program makes events faster than they can be written, the newest
 * are left out and counted. After fork() the child does not record; it may open a session of its
 * own. */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define NPUPROF_API __attribute__((visibility("default")))
#else
#define NPUPROF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names as C has them. */

typedef struct npuprof_session npuprof_session;

/* What functions of a session return. */
enum {
  NPUPROF_OK = 0,
  NPUPROF_LOSSES = 1,       /* Done, but events are missing: npuprof_stats says how many. */
  NPUPROF_FAILED = -1,      /* Not done; the warning says why. */
  NPUPROF_BUSY = -2,        /* Another session is recording. */
  NPUPROF_WRONG_STATE = -3, /* Null session, started twice, stopped before it was started, ... */
  NPUPROF_FORKED = -4       /* The session belongs to the parent process. */
};

/* Use of the machine that is sampled while recording. */
enum {
  NPUPROF_HOST_CPU = 1,
  NPUPROF_HOST_MEMORY = 2,
  NPUPROF_HOST_DISK = 4,
  NPUPROF_HOST_NETWORK = 8
};

enum { NPUPROF_RANK_FROM_ENVIRONMENT = -1 /* The variable RANK, if it is set. */ };

/* Set with npuprof_options_init(); what is not set explicitly has a sensible value. */
typedef struct npuprof_options {
  size_t size; /* Of this struct, so that it can grow. */
  int64_t rank;
  uint64_t buffer_bytes;       /* Memory for the events of one thread. */
  uint64_t memory_limit_bytes; /* For all threads; threads beyond it do not record. */
  uint32_t flush_interval_ms;  /* A killed process loses at most this much. */
  uint32_t host_sys;           /* NPUPROF_HOST_... combined. */
  uint32_t host_sys_hz;
  uint32_t markers; /* 0: markers (npuprof_mark_a and its kin) are not recorded. */
  /* Markers are recorded if their domain is listed, or, without such a list, if it is not excluded.
   * The domain of markers that name none is "default". */
  const char* const* domain_include;
  size_t domain_include_count;
  const char* const* domain_exclude;
  size_t domain_exclude_count;
} npuprof_options;

NPUPROF_API void npuprof_options_init(npuprof_options* options);

typedef struct npuprof_stats {
  uint64_t events_written;
  uint64_t events_dropped;  /* Buffers were full (the writer fell behind), or see above. */
  uint64_t details_dropped; /* Shapes, stacks, ... that found no room though their event did. */
  uint64_t events_lost;     /* Could not be written to disk. */
  uint64_t bytes_written;
  uint64_t threads;         /* That recorded something. */
  uint64_t events_too_deep; /* Ranges of a thread in more than 512 others are left out. */
} npuprof_stats;

/* Makes the directory `<parent>/<worker>_<pid>_<time>_ascend_pt`; `worker` null is the name of this
 * computer. `options` may be null. Returns null if that is impossible. */
NPUPROF_API npuprof_session* npuprof_session_open(const char* parent, const char* worker,
                                                  const npuprof_options* options);
/* The same with a directory of the caller's choice, which may exist already. Its name should end in
 * _ascend_pt. */
NPUPROF_API npuprof_session* npuprof_session_open_directory(const char* directory,
                                                            const npuprof_options* options);
/* The directory; valid until the session is finalized. Empty for a null session. */
NPUPROF_API const char* npuprof_session_directory(const npuprof_session* session);

/* Recording begins and ends. A range is recorded if it begins and ends while recording. A session
 * may be started again after a stop; only one session of a process records at a time. */
NPUPROF_API int npuprof_session_start(npuprof_session* session);
NPUPROF_API int npuprof_session_stop(npuprof_session* session, npuprof_stats* stats);
/* Stops if need be, completes the files and frees the session. At the exit of the program open
 * sessions are completed by themselves. */
NPUPROF_API int npuprof_session_finalize(npuprof_session* session, npuprof_stats* stats);

/* The clock of the records: nanoseconds of CLOCK_MONOTONIC_RAW. Now, and when the session was first
 * started (0 before that). */
NPUPROF_API int64_t npuprof_timestamp_ns(void);
NPUPROF_API int64_t npuprof_session_start_ns(npuprof_session* session);

/* Metadata: a text, or any JSON value. Key and value have at most 4096 bytes each, all together
 * 50 KiB. Later values replace earlier ones. */
NPUPROF_API int npuprof_session_metadata(npuprof_session* session, const char* key,
                                         const char* text);
NPUPROF_API int npuprof_session_metadata_json(npuprof_session* session, const char* key,
                                              const char* json);

/* What profiler_info.json says about the settings of the profiler: the JSON text of such a file, of
 * which "config" and the version keys are taken. For frameworks that build on this library. */
NPUPROF_API int npuprof_session_info_json(npuprof_session* session, const char* json);

/* 1 while some session records. */
NPUPROF_API int npuprof_recording(void);

/* Names that are used often are best registered once: a range of a registered name is 32 bytes, and
 * its text is not looked at again. Ids are valid for the life of the process; equal texts have
 * equal ids. Texts longer than 64 KiB are cut. */
typedef uint32_t npuprof_name;
NPUPROF_API npuprof_name npuprof_name_id(const char* text);

/* Ranges of the calling thread; they nest. A text is copied if need be and may go after the call.
 */
NPUPROF_API void npuprof_range_push(const char* name);
NPUPROF_API void npuprof_range_push_id(npuprof_name name);
NPUPROF_API void npuprof_range_pop(void);

/* The cheapest way: the caller keeps the begin, 0 if nothing is recorded now. Both calls come from
 * the same thread. */
typedef uint64_t npuprof_begin_time;
NPUPROF_API npuprof_begin_time npuprof_range_begin(void);
NPUPROF_API void npuprof_range_end(npuprof_name name, npuprof_begin_time begin);

/* A moment, and the value of something at this moment. */
NPUPROF_API void npuprof_mark(const char* name);
NPUPROF_API void npuprof_mark_id(npuprof_name name);
NPUPROF_API void npuprof_counter(npuprof_name name, double value);

/* Memory handed out (positive size) or given back (negative size) by an allocator of the host, and
 * the bytes it has handed out and reserved after that. */
NPUPROF_API void npuprof_memory(const void* address, int64_t size_bytes,
                                int64_t total_allocated_bytes, int64_t total_reserved_bytes);

/* Markers as those of mstx: they have a domain and a message, and ranges may end on another thread.
 * A message is rejected if it is null or begins with NUL, '=', '+', '-' or '@'. */
typedef uint32_t npuprof_domain;
enum {
  NPUPROF_DEFAULT_DOMAIN = 0,
  NPUPROF_NO_DOMAIN = -1 /* As npuprof_domain: markers in it are not recorded. */
};
/* The same name gives the same domain. NPUPROF_NO_DOMAIN if the name is rejected (rules as for
 * messages, shorter than 1024 bytes, not "default") or if there are more than 4096. */
NPUPROF_API npuprof_domain npuprof_domain_create(const char* name);

NPUPROF_API void npuprof_mark_a(npuprof_domain domain, const char* message);
/* An id for npuprof_range_end_a; 0 if nothing was recorded. */
NPUPROF_API uint64_t npuprof_range_start_a(npuprof_domain domain, const char* message);
NPUPROF_API void npuprof_range_end_a(npuprof_domain domain, uint64_t id);
/* Ranges of the calling thread and the domain. Push returns the depth before it, pop the depth
 * after it; both -1 if nothing was recorded. */
NPUPROF_API int npuprof_range_push_a(npuprof_domain domain, const char* message);
NPUPROF_API int npuprof_range_pop_a(npuprof_domain domain);

/* For libraries of npuprof itself, built from the same source: the record::ThreadBuffer of the
 * calling thread, null while nothing is recorded. */
NPUPROF_API void* npuprof_thread_buffer(void);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* NPUPROF_RECORD_H_ */
