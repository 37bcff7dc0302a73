/**
 * Determines whether measurements show a leak. A leak grows until the end, so only the last half counts. By then, a process has filled its
 * caches and pools and compiled its code.
 */
export type Sample = { minute: number; mb: number };

export type Slope = {
  /** The median of the slopes between all pairs of samples (Theil–Sen estimator), which is robust against outliers. */
  mbPerMinute: number;
  /** The lower bound of Sen's confidence interval (about 95 percent) of the slope. If it is not positive, the slope may be noise. */
  lowestMbPerMinute: number;
};

export type Verdict = 'leak' | 'steady' | 'too few samples';

const LEAST_SAMPLES = 6;
const Z_95 = 1.96;

/** The samples from the last half of the measured time. */
export function lastHalf(samples: readonly Sample[]): Sample[] {
  const first = samples[0]?.minute ?? 0;
  const last = samples.at(-1)?.minute ?? 0;
  return samples.filter(({ minute }) => minute >= (first + last) / 2);
}

export function slopeOf(samples: readonly Sample[]): Slope | null {
  if (samples.length < LEAST_SAMPLES) return null;
  const slopes = samples.flatMap((early, index) =>
    samples.slice(index + 1).flatMap((late) => {
      const minutes = late.minute - early.minute;
      return minutes > 0 ? [(late.mb - early.mb) / minutes] : [];
    }),
  );
  slopes.sort((left, right) => left - right);
  const count = samples.length;
  const spread = Z_95 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const lowest = Math.max(0, Math.floor((slopes.length - spread) / 2));
  return { mbPerMinute: median(slopes), lowestMbPerMinute: slopes[lowest] ?? 0 };
}

/** A leak grows by more than `limitMbPerMinute` in the last half, with statistical significance. */
export function evaluateMemory(
  samples: readonly Sample[],
  limitMbPerMinute: number,
): { slope: Slope | null; verdict: Verdict } {
  const slope = slopeOf(lastHalf(samples));
  if (!slope) return { slope, verdict: 'too few samples' };
  const leaks = slope.mbPerMinute > limitMbPerMinute && slope.lowestMbPerMinute > 0;
  return { slope, verdict: leaks ? 'leak' : 'steady' };
}

function median(sorted: readonly number[]): number {
  const middle = Math.floor(sorted.length / 2);
  const [upper = 0, lower = 0] = [sorted[middle], sorted[middle - 1]];
  return sorted.length % 2 === 1 ? upper : (upper + lower) / 2;
}
