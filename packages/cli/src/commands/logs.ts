import type { SluiceEvent } from '@sluice/sdk';
import { type Command, number, text } from '../command.ts';
import { openSluice } from '../credentials.ts';

export const logs: Command = {
  usage: '[--follow] [--types a,b] [--limit 20]',
  summary: "Shows the app's newest events, oldest first, and with --follow new events as they happen.",
  options: { follow: { type: 'boolean', short: 'f' }, types: { type: 'string' }, limit: { type: 'string' } },
  async run(given) {
    const sluice = openSluice();
    const types = text(given, 'types')?.split(',') as SluiceEvent['type'][] | undefined;
    const query = `query ($types: [String!], $limit: Int) { eventLog(types: $types, limit: $limit) {
      items { id type sequence timestamp appId data finality { confirmations required isFinal } } } }`;
    const body = { query, variables: { types, limit: number(given, 'limit') ?? 20 } };
    const response = await sluice.request({ method: 'POST', path: '/graphql', body }, { signal: given.signal });
    const { data, errors } = (await response.json()) as {
      data?: { eventLog: { items: SluiceEvent[] } };
      errors?: { message: string }[];
    };
    if (errors?.[0]) throw new Error(errors[0].message);
    const newest = (data?.eventLog.items ?? []).reverse();
    for (const event of newest) show(event, given.isJson);
    if (given.values.follow !== true) return;
    const after = newest.at(-1)?.sequence;
    const following = sluice.events.follow({
      signal: given.signal,
      ...(after === undefined ? {} : { after }),
      ...(types ? { types } : {}),
    });
    for await (const event of following) show(event, given.isJson);
  },
};

function show(event: SluiceEvent, isJson: boolean): void {
  const subject = 'id' in event.data ? String(event.data.id) : '';
  if (isJson) console.log(JSON.stringify(event));
  else console.log(`${String(event.sequence).padStart(6)}  ${event.timestamp}  ${event.type.padEnd(34)}  ${subject}`);
}
