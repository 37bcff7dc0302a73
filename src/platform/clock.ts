/** The source of the current time. Nouns take an instant, verbs take a clock, and only main and tests create one. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
