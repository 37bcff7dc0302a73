/** Where "now" comes from. Nouns take an instant, verbs take a clock, only main and tests make one. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
