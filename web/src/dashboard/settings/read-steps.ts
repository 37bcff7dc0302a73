/** Hours as a person writes them: "1, 6, 24". Null if the field is empty, which restores the default; undefined if it cannot be read. */
export function readSteps(text: string): number[] | null | undefined {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length === 0) return null;
  const steps = words.map((word) => (/^\d{1,4}$/.test(word) ? Number(word) : Number.NaN));
  const isGood =
    steps.length <= 10 &&
    steps.every((hours, index) => hours >= 1 && hours <= 1440 && (index === 0 || hours > (steps[index - 1] ?? 0)));
  return isGood ? steps : undefined;
}
