/**
 * Environment of a process whose glibc allocator should return freed memory to the system. Threads share two arenas, so that memory freed
 * by one thread is reused by others. The thresholds (bytes) are glibc's initial ones, which it would raise as a process allocates, and then
 * keep up to 64 MiB of freed memory.
 */
export const frugalAllocator = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
