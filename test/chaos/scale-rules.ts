/**
 * Copies the alert rules to a faster clock: divides each `for`, each range and offset, and each threshold in seconds by a factor, so that
 * an alarm with a delay of 15 minutes fires after one or two.
 */
const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** The maximum factor of alarms on rare measurements. With a larger factor, these alarms would fire without a fault. */
export const slowAlarms: Record<string, number> = {
  // The books are compared every 5 minutes.
  SluiceBooksNotCompared: 5,
  // A failing projector pauses for up to 30 s between its turns, and the rule counts turns.
  SluiceProjectorFailing: 2,
};

export type ScaledRule = { name: string; factor: number; forSeconds: number; thresholdSeconds: number };

export function scaleRules(text: string, factor: number): { text: string; rules: ScaledRule[] } {
  const rules: ScaledRule[] = [];
  const [head = '', ...blocks] = text.split(/(?=^ {6}- alert: )/m);
  const scaled = blocks.map((block) => {
    const name = /alert: (\w+)/.exec(block)?.[1] ?? '';
    const own = Math.min(factor, slowAlarms[name] ?? factor);
    let forSeconds = 0;
    let thresholdSeconds = 0;
    const faster = block
      .replace(/(for: )(\d+)([smhd])/g, (_, before: string, count: string, unit: string) => {
        forSeconds = divided(count, unit, own);
        return `${before}${forSeconds}s`;
      })
      .replace(/(\[|offset )(\d+)([smhd])/g, (_, before: string, count: string, unit: string) => {
        return `${before}${divided(count, unit, own)}s`;
      })
      .replace(/(_seconds\b[^>\n]*> )(\d+)/g, (_, before: string, count: string) => {
        thresholdSeconds = divided(count, 's', own);
        return `${before}${thresholdSeconds}`;
      });
    rules.push({ name, factor: own, forSeconds, thresholdSeconds });
    return faster;
  });
  return { text: [head, ...scaled].join(''), rules };
}

/** Returns whole seconds, because Prometheus accepts no fractions, and at least five, the interval between scrapes. */
function divided(count: string, unit: string, factor: number): number {
  return Math.max(5, Math.round((Number(count) * (units[unit] ?? 1)) / factor));
}
