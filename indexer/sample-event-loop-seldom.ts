/**
 * Loaded before Ponder, whose metrics sample the delay of the event loop every millisecond. At rest, that is most of what its
 * process costs. Every 100 ms shows an operator the same.
 */
import performanceHooks from 'node:perf_hooks';

const RESOLUTION_MS = 100;
const { monitorEventLoopDelay } = performanceHooks;

performanceHooks.monitorEventLoopDelay = (options) =>
  monitorEventLoopDelay({ resolution: Math.max(options?.resolution ?? 0, RESOLUTION_MS) });
