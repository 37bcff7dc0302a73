/**
 * A copy of the alert rules on a faster clock: each `for`, each range and offset, and each threshold in seconds is divided
 * by a factor, so that an alarm that waits for 15 minutes can be seen in one or two.
 */
const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Alarms on what is measured so rarely that a faster clock would raise them in calm, and by how much they are divided at most. */
export const slowAlarms: Record<string, number> = {
  // The books are compared every 5 minutes.
  SluiceBooksNotCompared: 5,
  // A projector that fails pauses up to 30 s between its turns, and the rule counts turns.
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

/** Whole seconds, for Prometheus takes no fractions; never less than five, the time between two scrapes. */
function divided(count: string, unit: string, factor: number): number {
  return Math.max(5, Math.round((Number(count) * (units[unit] ?? 1)) / factor));
}
