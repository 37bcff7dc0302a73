/**
 * Loaded before Ponder, whose metrics sample the event loop delay every millisecond. In an idle process, the sampling accounts for most of
 * the CPU time. A sample every 100 ms is as informative.
 */
import performanceHooks from 'node:perf_hooks';

const RESOLUTION_MS = 100;
const { monitorEventLoopDelay } = performanceHooks;

performanceHooks.monitorEventLoopDelay = (options) =>
  monitorEventLoopDelay({ resolution: Math.max(options?.resolution ?? 0, RESOLUTION_MS) });
