/** Counts the function calls that a request causes. The count is the same on every machine, regardless of its load. */
import { Session } from 'node:inspector/promises';
import { z } from 'zod';

export type Work = {
  /** The number of calls to functions of the GraphQL pipeline: those of graphql-js, its plugins, and ours. */
  calls: number;
  /** The number of documents that were parsed, visited, and validated. */
  parses: number;
  visits: number;
  validations: number;
};

export type WorkCounter = { take(): Promise<Work>; stop(): void };

const covered = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(z.object({ functionName: z.string(), ranges: z.array(z.object({ count: z.number() })) })),
    }),
  ),
});
const PIPELINE =
  /\/node_modules\/(graphql|@pothos|@graphql-tools|@envelop|graphql-yoga|graphql-ws|graphql-jit)\/|\/src\/api\//;
const counted = [
  ['parses', /\/graphql\/language\/parser\.js$/, 'parse'],
  ['visits', /\/graphql\/language\/visitor\.js$/, 'visit'],
  ['validations', /\/graphql\/validation\/validate\.js$/, 'validate'],
] as const;

/** Reads V8's counts for this process, including unrelated work. `take` returns the work since the previous call. */
export async function openWorkCounter(): Promise<WorkCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    async take() {
      const { result } = covered.parse(await session.post('Profiler.takePreciseCoverage'));
      const work: Work = { calls: 0, parses: 0, visits: 0, validations: 0 };
      for (const { url, functions } of result) {
        if (!PIPELINE.test(url)) continue;
        for (const { functionName, ranges } of functions) {
          const count = ranges[0]?.count ?? 0;
          work.calls += count;
          for (const [name, file, known] of counted) if (functionName === known && file.test(url)) work[name] += count;
        }
      }
      return work;
    },
    stop: () => session.disconnect(),
  };
}
